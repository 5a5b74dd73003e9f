import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runCommand } from './process.ts';

const { PATH = '', HOME = '' } = process.env;

/** Runs npm, and returns what it printed. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['npm', ...args], {
    cwd,
    env: { PATH, HOME },
    timeout: 60_000,
  });
  if (code !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** What npm says of the package that it packs. */
export interface Packed {
  readonly filename: string;
  /** The bytes of the archive. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs the package for Node, as publishing it would: a copy of its own beside the project's tools, because building
 * empties a folder that another file of tests may be packing.
 */
export async function packNodePackage(folder: string): Promise<Packed> {
  await mkdir(join(root, 'artefacts'), { recursive: true });
  const copy = await mkdtemp(join(root, 'artefacts/package-'));
  await using _ = { [Symbol.asyncDispose]: () => rm(copy, { recursive: true }) };
  await cp(join(root, 'packages/node'), copy, { recursive: true });
  const args = ['pack', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(await npm(args, copy)) as [Packed];
  return packed;
}

/**
 * Installs the package for Node from its archive into an empty folder, beside some of the project's own packages.
 * @param beside the names of these packages
 */
export async function installNodePackage(folder: string, beside: readonly string[]): Promise<Packed> {
  const packed = await packNodePackage(folder);
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)], folder);
  for (const name of beside) {
    const link = join(folder, 'node_modules', name);
    await mkdir(join(link, '..'), { recursive: true });
    if (!existsSync(link)) await symlink(join(root, 'node_modules', name), link);
  }
  return packed;
}

/** Copies files of the project's, such as those of `examples/typescript`, into a folder. */
export async function copyInto(folder: string, from: string, names?: readonly string[]): Promise<void> {
  for (const name of names ?? (await readdir(join(root, from))))
    await cp(join(root, from, name), join(folder, name), { recursive: true });
}
