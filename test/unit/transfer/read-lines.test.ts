import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { readLines } from '../../../src/transfer/read-lines.ts';
import { readAll } from '../../support/lines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('lines', () => {
  it('chunks cut at any place → the same lines', async () => {
    const texts = ['a', '', 'bé', '漢😀'];
    const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect((await readAll(bytes.subarray(0, cut), bytes.subarray(cut))).lines).toEqual(texts);
  });

  it.each<[string, readonly string[], readonly string[], number]>([
    ['no chunk', [], [], 0],
    ['an empty chunk', [], [''], 0],
    ['a last line without an end', ['a', 'b'], ['a\nb'], 3],
    ['an empty line', ['a', '', 'b'], ['a\n\nb\n'], 4],
    ['a mark of the encoding', ['a'], ['\ufeffa\n'], 4],
  ])('%s → %j', async (_what, lines, chunks, end) => {
    expect(await readAll(...chunks)).toEqual({ lines, end });
  });

  it('a line that is no UTF-8 → no text, and the next is read', async () => {
    expect((await readAll(Buffer.from([0xff, 10]), 'b\n')).lines).toEqual([undefined, 'b']);
  });

  it('a line that is too long → no text and no memory, and the next is read', async () => {
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
