import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Page, PageInput, type PageRange, readPage } from '../../../src/database/page.ts';
import { parseInput } from '../../../src/operations/input.ts';

interface Row {
  readonly id: number;
}

/** A table that holds these ids, and answers as a query for a page must. */
const tableOf = (ids: readonly number[]) => (range: PageRange, order: 'asc' | 'desc') => {
  const found = ids.filter((id) => id > range.floor && id <= range.ceiling);
  const sorted = found.toSorted((a, b) => (order === 'asc' ? a - b : b - a));
  return Promise.resolve(sorted.slice(0, range.limit).map((id): Row => ({ id })));
};

const read = (ids: readonly number[], input: z.input<typeof PageInput> = {}) =>
  readPage(parseInput(PageInput, input), tableOf(ids));

const idsOf = ({ edges }: Page<Row>) => edges.map(({ node }) => node.id);
const newestFirst = (ids: readonly number[]) => ids.toSorted((a, b) => b - a);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a page', () => {
  it('holds the newest 100 where nothing is said', async () => {
    const page = await read(upTo(101));
    expect(idsOf(page)).toEqual(newestFirst(upTo(101)).slice(0, 100));
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect((await read(upTo(100))).pageInfo).toMatchObject({ hasNextPage: false });
  });

  it('of a list without members has no cursors', async () => {
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    expect(await read([])).toEqual({ edges: [], pageInfo });
  });

  it('of no members tells whether there are any', async () => {
    expect(await read([7], { first: 0 })).toMatchObject({ edges: [], pageInfo: { hasNextPage: true } });
    expect(await read([7], { last: 0 })).toMatchObject({ edges: [], pageInfo: { hasPreviousPage: true } });
    expect(await read([], { first: 0 })).toMatchObject({ edges: [], pageInfo: { hasNextPage: false } });
  });

  it('may lie between two cursors, from either side', async () => {
    const { edges } = await read(upTo(9));
    const between = { after: edges[1]?.cursor, before: edges[6]?.cursor };
    expect(idsOf(await read(upTo(9), between))).toEqual([7, 6, 5, 4]);
    expect(idsOf(await read(upTo(9), { ...between, first: 3 }))).toEqual([7, 6, 5]);
    expect(idsOf(await read(upTo(9), { ...between, last: 3 }))).toEqual([6, 5, 4]);
  });

  it('reaches the greatest id that there can be, and goes on after it', async () => {
    const page = await read([1, 2 ** 31 - 1], { first: 1 });
    expect(idsOf(page)).toEqual([2 ** 31 - 1]);
    expect(idsOf(await read([1, 2 ** 31 - 1], { after: page.pageInfo.endCursor }))).toEqual([1]);
    expect(idsOf(await read([1, 2 ** 31 - 1], { before: page.pageInfo.endCursor }))).toEqual([]);
  });
});

const someIds = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 40 });
const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

/** All pages one after the other, of the given sizes in turn, while three rows are added behind the reader's back. */
const walk = async (ids: readonly number[], sizeOf: readonly number[], direction: 'first' | 'last') => {
  const table = [...ids];
  const pages: number[][] = [];
  let input: z.input<typeof PageInput> = {};
  for (let more = true; more; ) {
    const size = sizeOf[pages.length % sizeOf.length] ?? 1;
    const page = await read(table, { ...input, [direction]: size });
    pages.push(idsOf(page));
    // A reader of single rows never comes to the end of a list that grows by one for each.
    if (pages.length <= 3) table.push(1000 + table.length);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    more = direction === 'first' ? hasNextPage : hasPreviousPage;
    input = direction === 'first' ? { after: endCursor } : { before: startCursor };
  }
  return pages;
};

describe('pages one after the other', () => {
  it('hold each row once, in order, forwards, whatever is added meanwhile', () =>
    fc.assert(
      fc.asyncProperty(someIds, sizes, async (ids, sizeOf) => {
        expect((await walk(ids, sizeOf, 'first')).flat()).toEqual(newestFirst(ids));
      }),
    ));

  it('hold each row once, in order, backwards, and what was added at last', () =>
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

describe('what cannot be asked for', () => {
  const issuesOf = (input: unknown) => {
    try {
      parseInput(PageInput, input);
      return [];
    } catch (error) {
      return (error as { issues: { path: string[]; type: string }[] }).issues.map(({ path, type }) => [
        path,
        type,
      ]);
    }
  };
  const encode = (text: string) => Buffer.from(text).toString('base64url');

  it.each(['first', 'last'])('%s below 0 or above 100', (name) => {
    expect(issuesOf({ [name]: -1 })).toEqual([[[name], 'greater_than_equal']]);
    expect(issuesOf({ [name]: 101 })).toEqual([[[name], 'less_than_equal']]);
    expect([0, 100, null].map((size) => issuesOf({ [name]: size }))).toEqual([[], [], []]);
  });

  it('both ends at once', () => {
    expect(issuesOf({ first: 1, last: 1 })).toEqual([[['last'], 'value_error']]);
    expect(issuesOf({ first: 0, last: 0 })).toEqual([[['last'], 'value_error']]);
    expect(issuesOf({ first: 1, last: null })).toEqual([]);
  });

  it.each([
    ...['', ' ', 'x', 'MQ==', 'MQ ', ' MQ', 'MR', '1', 'null', '🔑'],
    ...['0', '-1', '01', '1.5', '1e3', '0x10', ' 1', '1\n', '2147483648', '9'.repeat(400), 'NaN', ''].map(
      encode,
    ),
  ])('a place of %j', (text) => {
    expect(issuesOf({ after: text })).toEqual([[['after'], 'value_error']]);
    expect(issuesOf({ before: text })).toEqual([[['before'], 'value_error']]);
  });
});
