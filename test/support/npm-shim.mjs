// Stands for npm in a folder that is not the project's: runs a script of package.json there, as
// `npm [run] [--silent] NAME [-- ARGUMENTS]` does in the project's folder.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const given = process.argv.slice(2);
const [name] = given.filter((word) => word !== 'run' && word !== '--silent');
const [, file] = /node run\.mjs (\S+)$/.exec(scripts[name] ?? '') ?? [];
if (file === undefined) throw new Error(`package.json has no script ${name} that is a file`);
const words = given.includes('--') ? given.slice(given.indexOf('--') + 1) : [];
const { status } = spawnSync(process.execPath, [join(root, file), ...words], { stdio: 'inherit' });
process.exitCode = status ?? 1;
