import { expect } from 'vitest';
import { readLines } from '../../src/transfer/read-lines.ts';

/** Reads all lines of chunks; expects that they are numbered. */
export const readAll = async (...chunks: readonly (string | Buffer)[]) => {
  const lines: (string | undefined)[] = [];
  const given = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  })();
  let last = 0;
  for await (const { number, text, end } of readLines(given)) {
    expect(number).toBe(lines.length + 1);
    lines.push(text);
    last = end;
  }
  return { lines, end: last };
};
