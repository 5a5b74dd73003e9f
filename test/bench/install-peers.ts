import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the peers. */
const peersFolder = join(import.meta.dirname, 'peers');

/** Installs what the peers need, where it is missing or not what their lock says. */
export function installPeers(): void {
  const lock = readFileSync(join(peersFolder, 'package-lock.json'), 'utf8');
  const installed = join(peersFolder, 'node_modules/.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.log('Installing the peers …');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['ci', ...options], { cwd: peersFolder, stdio: 'inherit' });
  writeFileSync(installed, lock);
}
