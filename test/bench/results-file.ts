import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'RESULTS.md');

/** The parts of the file that are written anew; all else in it is written by hand and stays. */
export type Part = 'speed' | 'growth' | 'workers' | 'doors';

/** Writes one part of RESULTS.md anew. */
export function writePart(part: Part, content: string): void {
  const text = readFileSync(file, 'utf8');
  const begin = `<!-- ${part}: written by npm run bench -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- end of ${part} -->`);
  if (from < 0 || to < from) throw new Error(`RESULTS.md has no place for "${part}": ${begin}`);
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${content.trim()}\n\n${text.slice(to)}`);
}
