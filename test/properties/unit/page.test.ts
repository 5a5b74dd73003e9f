import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageBytes } from '../../../src/database/page.ts';
import {
  allPages,
  bytesOf,
  type Direction,
  heavy,
  idsOf,
  newestFirst,
  upTo,
  walk,
} from '../../support/pages-of-rows.ts';

it('all pages of rows of any weight → each row once, within the bound', () => {
  const weights = fc.array(fc.integer({ min: 0, max: pageBytes * 1.2 }), { minLength: 1, maxLength: 9 });
  const walks = fc.asyncProperty(
    weights,
    fc.constantFrom<Direction[]>('first', 'last'),
    async (sizes, direction) => {
      const { page } = heavy(upTo(30), (id) => sizes[id % sizes.length] ?? 0);
      const pages = await allPages(page, direction);
      expect(pages.flatMap(idsOf)).toEqual(newestFirst(upTo(30)));
      expect(Math.max(...pages.map(bytesOf))).toBeLessThan(pageBytes + Math.max(...sizes) + 300);
    },
  );
  return fc.assert(walks, { numRuns: 30 });
});

const someIds = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 40 });
const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

describe('pages one after the other', () => {
  it('forwards → each row once, in order, whatever is added meanwhile', () =>
    fc.assert(
      fc.asyncProperty(someIds, sizes, async (ids, sizeOf) => {
        expect((await walk(ids, sizeOf, 'first')).flat()).toEqual(newestFirst(ids));
      }),
    ));

  it('backwards → each row once, in order, and what was added last', () =>
    fc.assert(
      fc.asyncProperty(someIds, sizes, async (ids, sizeOf) => {
        const pages = await walk(ids, sizeOf, 'last');
        const old = pages
          .toReversed()
          .flat()
          .filter((id) => id <= 500);
        expect(old).toEqual(newestFirst(ids));
      }),
    ));
});
