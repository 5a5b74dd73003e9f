import { cpSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Copy, Env, Instruction } from 'dockerfile-ast';
import { runCommand } from './process.ts';
import { registryAccess } from './registry-access.ts';

/** A stage of an image's build: a folder that stands for its `/`, and what a container of it begins with. */
export interface Stage {
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly stopSignal: string;
  readonly healthCheck: readonly string[];
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
}

/** Where COPY finds what it copies: a stage by its name, or the build's context. */
type RootOf = (stage: string | undefined) => string;

/** What an instruction changes of its stage. */
type Step = (stage: Stage, instruction: Instruction, rootOf: RootOf) => Partial<Stage> | Promise<void> | void;

const text = (instruction: Instruction) => instruction.getArgumentsContent() ?? '';

/** An instruction's arguments in JSON, whatever stands before them. */
const json = (instruction: Instruction): string[] =>
  JSON.parse(/\[.*\]$/s.exec(text(instruction))?.[0] ?? '[]');

/** The arguments of an instruction, without its flags. */
export const words = (instruction: Instruction): string[] =>
  instruction.getArguments().map((argument) => argument.getValue());

/** Where programs are: Node is the image's own, and npm this machine's. */
const searchPath = (root: string) => `${join(root, 'usr/local/bin')}:${process.env['PATH']}`;

/** COPY, of files into a folder or of folders' contents. */
const copy: Step = ({ root, workdir }, instruction, rootOf) => {
  const source = rootOf((instruction as Copy).getFromFlag()?.getValue() ?? undefined);
  const paths = words(instruction);
  const target = join(root, workdir, paths.pop() ?? '');
  for (const path of paths) {
    const isFolder = statSync(join(source, path)).isDirectory();
    cpSync(join(source, path), isFolder ? target : join(target, basename(path)), { recursive: true });
  }
};

/** RUN, of npm alone: in any other command, paths would be those of this machine. */
const run: Step = async ({ root, workdir, env }, instruction) => {
  const command = text(instruction);
  if (!command.startsWith('npm ')) return;
  const { code, stdout, stderr } = await runCommand(['sh', '-c', command], {
    cwd: join(root, workdir),
    env: { ...registryAccess(), ...env, PATH: searchPath(root) },
    timeout: 240_000,
  });
  if (code !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
};

/** The instructions that the project's Dockerfile uses; one that is not here fails the tests. */
export const steps: Readonly<Record<string, Step>> = {
  COPY: copy,
  RUN: run,
  WORKDIR: ({ root }, instruction) => {
    const workdir = text(instruction);
    mkdirSync(join(root, workdir), { recursive: true });
    return { workdir };
  },
  ENV: ({ env }, instruction) => {
    const properties = (instruction as Env).getProperties();
    const added = properties.map((property) => [property.getName(), property.getValue() ?? '']);
    return { env: { ...env, ...Object.fromEntries(added) } };
  },
  USER: (_stage, instruction) => ({ user: text(instruction) }),
  STOPSIGNAL: (_stage, instruction) => ({ stopSignal: text(instruction) }),
  HEALTHCHECK: (_stage, instruction) => ({ healthCheck: json(instruction) }),
  ENTRYPOINT: (_stage, instruction) => ({ command: json(instruction) }),
  CMD: ({ command }, instruction) => ({ command: [...command, ...json(instruction)] }),
  EXPOSE: () => {},
  VOLUME: () => {},
};
