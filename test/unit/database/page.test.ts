import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Page, PageInput, type PageRange, pageBytes, readPage } from '../../../src/database/page.ts';
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

describe('a page of heavy rows', () => {
  /** A table of rows with a text of so many bytes each, and how many rows each query returned. */
  const heavy = (ids: readonly number[], sizeOf: (id: number) => number) => {
    const queries: number[] = [];
    const select = async (range: PageRange, order: 'asc' | 'desc') => {
      const rows = await tableOf(ids)(range, order);
      queries.push(rows.length);
      return rows.map((row) => ({ ...row, text: 'x'.repeat(sizeOf(row.id)), at: new Date(), none: null }));
    };
    const page = (input: z.input<typeof PageInput> = {}, size?: number) =>
      readPage(parseInput(PageInput, input), select, size);
    return { queries, page };
  };
  const bytesOf = (page: Page<object>) =>
    Buffer.byteLength(JSON.stringify(page.edges.map(({ node }) => node)));
  const tenth = pageBytes / 10;

  it('ends after the row with which it has enough bytes, and says that more follow', async () => {
    const { page } = heavy(upTo(100), () => tenth);
    const first = await page();
    expect(idsOf(first)).toEqual(newestFirst(upTo(100)).slice(0, 10));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const last = await page({ last: 100 });
    expect(idsOf(last)).toEqual(newestFirst(upTo(10)));
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('says that no more follow where the list ends with it', async () => {
    const { page } = heavy(upTo(10), () => tenth);
    expect((await page()).pageInfo).toMatchObject({ hasNextPage: false });
    expect(idsOf(await page())).toHaveLength(10);
  });

  it('has one row, however heavy that is', async () => {
    const { page } = heavy(upTo(3), () => 2 * pageBytes);
    const first = await page();
    expect(idsOf(first)).toEqual([3]);
    expect(idsOf(await page({ after: first.pageInfo.endCursor }))).toEqual([2]);
    expect(idsOf(await page({ last: 5 }))).toEqual([1]);
  });

  it('counts bytes, not characters', async () => {
    const select = async (range: PageRange, order: 'asc' | 'desc') =>
      (await tableOf(upTo(100))(range, order)).map((row) => ({ ...row, text: '€'.repeat(tenth / 3) }));
    const { edges } = await readPage(parseInput(PageInput, {}), select);
    expect(edges).toHaveLength(10);
  });

  it('counts what a row has beside its texts, so a list of light ones ends as well', async () => {
    const { page } = heavy(upTo(5000), () => 0);
    const { edges, pageInfo } = await page({}, Number.POSITIVE_INFINITY);
    expect(edges.length).toBeGreaterThan(1000);
    expect(edges.length).toBeLessThan(1100);
    expect(pageInfo.hasNextPage).toBe(true);
  });

  it('never takes more than 101 rows from the database at once, and none twice but the last of each', async () => {
    const { page, queries } = heavy(upTo(450), () => 0);
    expect(idsOf(await page({}, Number.POSITIVE_INFINITY))).toEqual(newestFirst(upTo(450)));
    expect(queries).toEqual([101, 101, 101, 101, 50]);
  });

  it('gives others their turn between two queries', async () => {
    const { page } = heavy(upTo(450), () => 0);
    const turns: string[] = [];
    const other = new Promise<void>((resolve) => {
      setImmediate(() => resolve(void turns.push('other')));
    });
    await page({}, Number.POSITIVE_INFINITY).then(() => turns.push('list'));
    await other;
    expect(turns).toEqual(['other', 'list']);
  });

  type Direction = 'first' | 'last';

  /** What asks for the page after this one, in a direction; undefined at the end. */
  const inputAfter = ({ pageInfo }: Page<Row>, direction: Direction) => {
    if (direction === 'first')
      return pageInfo.hasNextPage ? { first: 100, after: pageInfo.endCursor } : undefined;
    return pageInfo.hasPreviousPage ? { last: 100, before: pageInfo.startCursor } : undefined;
  };

  /** All pages of a list, newest first. */
  const all = async (page: ReturnType<typeof heavy>['page'], direction: Direction) => {
    const pages: Page<Row>[] = [];
    for (let input: z.input<typeof PageInput> | undefined = { [direction]: 100 }; input; ) {
      const found: Page<Row> = await page(input);
      pages.push(found);
      input = inputAfter(found, direction);
    }
    return direction === 'first' ? pages : pages.toReversed();
  };

  it('and all that follow hold each row once, within the bound, whatever the rows weigh', () => {
    const weights = fc.array(fc.integer({ min: 0, max: pageBytes * 1.2 }), { minLength: 1, maxLength: 9 });
    const walks = fc.asyncProperty(
      weights,
      fc.constantFrom<Direction[]>('first', 'last'),
      async (sizes, direction) => {
        const { page } = heavy(upTo(30), (id) => sizes[id % sizes.length] ?? 0);
        const pages = await all(page, direction);
        expect(pages.flatMap(idsOf)).toEqual(newestFirst(upTo(30)));
        expect(Math.max(...pages.map(bytesOf))).toBeLessThan(pageBytes + Math.max(...sizes) + 300);
      },
    );
    return fc.assert(walks, { numRuns: 30 });
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
