import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { DockerfileParser } from 'dockerfile-ast';
import { type Stage, steps, words } from './dockerfile.ts';
import { root as project } from './process.ts';

const read = (name: string) => readFileSync(join(project, name), 'utf8');

const filesBelow = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesBelow(join(path, name))) : [path];

/** The files of the project that `.dockerignore` lets through. */
export function contextFiles(): string[] {
  const ignored = dockerignore.default().add(read('.dockerignore').split('\n'));
  return readdirSync(project)
    .filter((name) => name !== '.git' && name !== 'node_modules')
    .flatMap((name) => filesBelow(join(project, name)))
    .map((path) => relative(project, path))
    .filter((path) => !ignored.ignores(path));
}

/** What the base image has: Node, the one of these tests. */
function baseImage(root: string): Stage {
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  return { root, workdir: '/', env: {}, user: '0:0', stopSignal: 'SIGTERM', healthCheck: [], command: [] };
}

/** A new stage from the base image, or from an earlier one. */
function begin(root: string, parent: Stage | undefined): Stage {
  if (!parent) return baseImage(root);
  cpSync(parent.root, root, { recursive: true });
  return { ...parent, root };
}

/**
 * Does what the Dockerfile says, without a container engine.
 * @param folder an empty one, in which each stage and the build's context get a folder of their own
 * @returns the last stage
 */
export async function buildImage(folder: string): Promise<Stage> {
  for (const path of contextFiles()) cpSync(join(project, path), join(folder, 'context', path));
  const stages = new Map<string | undefined, Stage>();
  const rootOf = (name: string | undefined) => stages.get(name)?.root ?? join(folder, 'context');
  let stage = baseImage(join(folder, 'scratch'));
  let name = '';
  for (const instruction of DockerfileParser.parse(read('Dockerfile')).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const [image, , as = 'last'] = words(instruction);
      name = as;
      stage = begin(join(folder, name), stages.get(image));
    } else {
      const step = steps[keyword];
      if (!step) throw new Error(`What does ${keyword} do?`);
      stage = { ...stage, ...(await step(stage, instruction, rootOf)) };
    }
    stages.set(name, stage);
  }
  return stage;
}
