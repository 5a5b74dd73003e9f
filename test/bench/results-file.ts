import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const results = join(import.meta.dirname, 'RESULTS.md');

/** The parts of a file that are written anew; all else in it is written by hand and stays. */
export type Part = 'speed' | 'growth' | 'workers' | 'doors' | 'pages' | 'soak';

/** Writes one part of a file anew, RESULTS.md unless another is named. */
export function writePart(part: Part, content: string, file = results): void {
  const text = readFileSync(file, 'utf8');
  const begin = `<!-- ${part}: written by a measurement -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- end of ${part} -->`);
  if (from < 0 || to < from) throw new Error(`The file has no place for "${part}": ${begin}`);
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${content.trim()}\n\n${text.slice(to)}`);
}
