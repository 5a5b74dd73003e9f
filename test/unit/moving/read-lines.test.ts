import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readLines } from '../../../src/moving/read-lines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const read = async (...chunks: readonly (string | Buffer)[]) => {
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

describe('lines', () => {
  it('are the same, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\ufeff]/g, ''))),
        fc.array(fc.nat(200), { maxLength: 5 }),
        async (texts, cuts) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
          const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
          expect((await read(...chunks)).lines).toEqual(texts);
        },
      ),
    );
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['none', [], [], 0],
    ['nothing', [''], [], 0],
    ['a last one without an end', ['a\nb'], ['a', 'b'], 3],
    ['an empty one', ['a\n\nb\n'], ['a', '', 'b'], 4],
    ['one with a mark of its encoding', ['\ufeffa\n'], ['a'], 4],
  ])('may be %s', async (_what, chunks, lines, end) => {
    expect(await read(...chunks)).toEqual({ lines, end });
  });

  it('that are no UTF-8 are told, and those after them are read', async () => {
    expect((await read(Buffer.from([0xff, 10]), 'b\n')).lines).toEqual([undefined, 'b']);
  });

  it('that are too long are told, and cost no memory', async () => {
    const most = 'a'.repeat(64 * 1024);
    const mebibyte = Buffer.alloc(2 ** 20, 'a');
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const endless = (async function* () {
      yield Buffer.from(`${most}\n`);
      for (let count = 0; count < 500; count += 1) yield Buffer.from(mebibyte);
      // What nobody keeps goes when the collector likes, so it is asked to; it sweeps beside us.
      await vi.waitFor(
        () => {
          collectGarbage();
          expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 2 ** 20);
        },
        { timeout: 10_000 },
      );
      yield Buffer.from('\nb');
    })();
    const lines: (string | undefined)[] = [];
    for await (const { text } of readLines(endless)) lines.push(text);
    expect(lines).toEqual([most, undefined, 'b']);
  });
});
