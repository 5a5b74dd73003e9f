import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyInto, packNodePackage } from '../support/node-package.ts';
import { describePackage } from '../support/package-suite.ts';
import { runCommand } from '../support/process.ts';
import { registryAccess } from '../support/registry-access.ts';

const { PATH = '', HOME = '' } = process.env;

async function npm(folder: string, ...args: string[]): Promise<void> {
  const env = { PATH, HOME, ...registryAccess(), NEXT_TELEMETRY_DISABLED: '1' };
  const { code, stdout, stderr } = await runCommand(['npm', ...args], { cwd: folder, env, timeout: 400_000 });
  if (code !== 0) throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`);
}

/** Installs the application and the package, and builds it. */
async function install(folder: string): Promise<void> {
  await copyInto(folder, 'test/packages/apps/next');
  const { filename } = await packNodePackage(folder);
  const manifest = join(folder, 'package.json');
  const written = await readFile(manifest, 'utf8');
  const here = written.replace('"@keyward/node": "0.1.0"', `"@keyward/node": "file:./${filename}"`);
  if (here === written) throw new Error('the application does not name the package');
  await writeFile(manifest, here);
  await npm(folder, 'install', '--no-audit', '--no-fund');
  await npm(folder, 'run', 'build');
}

describePackage({
  apis: [
    {
      name: 'Next.js',
      isHere: true,
      command: (folder) => [
        process.execPath,
        join(folder, 'node_modules/next/dist/bin/next'),
        'start',
        '--hostname',
        '127.0.0.1',
      ],
    },
  ],
  install,
});
