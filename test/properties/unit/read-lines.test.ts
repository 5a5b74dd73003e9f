import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAll } from '../../support/lines.ts';

it('any lines, cut at any places → the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\ufeff]/g, ''))),
      fc.array(fc.nat(200), { maxLength: 5 }),
      async (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect((await readAll(...chunks)).lines).toEqual(texts);
      },
    ),
  );
});
