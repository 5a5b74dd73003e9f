import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { readLines } from '../../../src/moving/read-lines.ts';
import { readAll } from '../../support/lines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('lines', () => {
  it('cut at any place → the same', async () => {
    const texts = ['a', '', 'bé', '漢😀'];
    const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect((await readAll(bytes.subarray(0, cut), bytes.subarray(cut))).lines).toEqual(texts);
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['none', [], [], 0],
    ['nothing', [''], [], 0],
    ['a last one without an end', ['a\nb'], ['a', 'b'], 3],
    ['an empty one', ['a\n\nb\n'], ['a', '', 'b'], 4],
    ['one with a mark of its encoding', ['\ufeffa\n'], ['a'], 4],
  ])('may be %s', async (_what, chunks, lines, end) => {
    expect(await readAll(...chunks)).toEqual({ lines, end });
  });

  it('that are no UTF-8 are told, and those after them are read', async () => {
    expect((await readAll(Buffer.from([0xff, 10]), 'b\n')).lines).toEqual([undefined, 'b']);
  });

  it('that are too long are told, and cost no memory', async () => {
    const most = 'a'.repeat(64 * 1024);
    const mebibyte = Buffer.alloc(2 ** 20, 'a');
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const endless = (async function* () {
      yield Buffer.from(`${most}\n`);
      for (let count = 0; count < 100; count += 1) yield Buffer.from(mebibyte);
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
