import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runCommand } from './process.ts';
import { canRun } from './programs.ts';

/** Variables with which Python finds the package for Python in this folder, and writes nothing there. */
export const pythonPackage = {
  PYTHONPATH: join(root, 'packages/python'),
  PYTHONDONTWRITEBYTECODE: '1',
};

/** Debian's packages are for Debian's Python. */
export const debianPython = '/usr/bin/python3';

/** Whether Debian's Python can build the package, and has the frameworks. If not, says what is left out. */
export const hasPythonFrameworks = (skipped: string): boolean =>
  canRun(
    'python-frameworks',
    skipped,
    ['-c', 'import build, fastapi, flask, setuptools, uvicorn, wheel'],
    debianPython,
  );

async function python(args: readonly string[], cwd: string): Promise<void> {
  const { PATH = '' } = process.env;
  const options = { cwd, env: { PATH, HOME: cwd }, timeout: 60_000 };
  const { code, stdout, stderr } = await runCommand([debianPython, ...args], options);
  if (code !== 0) throw new Error(`python3 ${args.join(' ')}: ${stdout}${stderr}`);
}

/** Builds the wheel of the package for Python, without a network. Returns its path. */
async function buildWheel(folder: string): Promise<string> {
  const source = join(folder, 'source');
  await cp(join(root, 'packages/python'), source, { recursive: true });
  await python(['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, source], folder);
  const [wheel = ''] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  return join(folder, wheel);
}

/** Installs the package for Python from its wheel into an empty folder. */
export async function installPythonPackage(folder: string): Promise<void> {
  const wheel = await buildWheel(folder);
  await python(['-m', 'pip', 'install', '--no-index', '--no-deps', '--target', folder, wheel], folder);
}
