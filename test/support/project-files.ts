import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.ts';

/** Copies the project to a folder, as a clone of it would be: the files that git has, and new ones. */
export function copyProject(folder: string): void {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const path of files)
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
}
