import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'RESULTS.md');

/** The parts of the file that are written anew; all else in it is written by hand and stays. */
export type Part = 'speed';

const begin = (part: Part) => `<!-- ${part}: written by npm run bench -->`;
const end = (part: Part) => `<!-- end of ${part} -->`;

const empty = `# How fast Keyward is

${begin('speed')}
${end('speed')}

## What the distance consists of
`;

/** Writes one part of RESULTS.md anew. */
export function writePart(part: Part, content: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : empty;
  const from = text.indexOf(begin(part));
  const to = text.indexOf(end(part));
  if (from < 0 || to < from) throw new Error(`RESULTS.md has no place for "${part}": ${begin(part)}`);
  writeFileSync(file, `${text.slice(0, from)}${begin(part)}\n\n${content.trim()}\n\n${text.slice(to)}`);
}
