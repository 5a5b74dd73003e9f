import { describe, expect, it } from 'vitest';
import { PageInput, type PageRange, pageBytes, readPage } from '../../../src/database/page.ts';
import { parseInput } from '../../../src/operations/operation.ts';
import {
  allPages,
  bytesOf,
  heavy,
  idsOf,
  newestFirst,
  read,
  tableOf,
  upTo,
  walk,
} from '../../support/pages-of-rows.ts';

describe('a page', () => {
  it('no size → the newest 100', async () => {
    const page = await read(upTo(101));
    expect(idsOf(page)).toEqual(newestFirst(upTo(101)).slice(0, 100));
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect((await read(upTo(100))).pageInfo).toMatchObject({ hasNextPage: false });
  });

  it('a list without members → no cursors', async () => {
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    expect(await read([])).toEqual({ edges: [], pageInfo });
  });

  it('size 0 → no rows, and whether there are any', async () => {
    expect(await read([7], { first: 0 })).toMatchObject({ edges: [], pageInfo: { hasNextPage: true } });
    expect(await read([7], { last: 0 })).toMatchObject({ edges: [], pageInfo: { hasPreviousPage: true } });
    expect(await read([], { first: 0 })).toMatchObject({ edges: [], pageInfo: { hasNextPage: false } });
  });

  it('two cursors → what lies between them, from either side', async () => {
    const { edges } = await read(upTo(9));
    const between = { after: edges[1]?.cursor, before: edges[6]?.cursor };
    expect(idsOf(await read(upTo(9), between))).toEqual([7, 6, 5, 4]);
    expect(idsOf(await read(upTo(9), { ...between, first: 3 }))).toEqual([7, 6, 5]);
    expect(idsOf(await read(upTo(9), { ...between, last: 3 }))).toEqual([6, 5, 4]);
  });

  it('the greatest possible id → shown, and the next page follows it', async () => {
    const page = await read([1, 2 ** 31 - 1], { first: 1 });
    expect(idsOf(page)).toEqual([2 ** 31 - 1]);
    expect(idsOf(await read([1, 2 ** 31 - 1], { after: page.pageInfo.endCursor }))).toEqual([1]);
    expect(idsOf(await read([1, 2 ** 31 - 1], { before: page.pageInfo.endCursor }))).toEqual([]);
  });
});

describe('a page of heavy rows', () => {
  const tenth = pageBytes / 10;

  it('more rows than fit → ends with the row that fills it, and says that more follow', async () => {
    const { page } = heavy(upTo(100), () => tenth);
    const first = await page();
    expect(idsOf(first)).toEqual(newestFirst(upTo(100)).slice(0, 10));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const last = await page({ last: 100 });
    expect(idsOf(last)).toEqual(newestFirst(upTo(10)));
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('a list that ends exactly with the page → says that nothing follows', async () => {
    const { page } = heavy(upTo(10), () => tenth);
    expect((await page()).pageInfo).toMatchObject({ hasNextPage: false });
    expect(idsOf(await page())).toHaveLength(10);
  });

  it('rows heavier than a page → one row on each', async () => {
    const { page } = heavy(upTo(3), () => 2 * pageBytes);
    const first = await page();
    expect(idsOf(first)).toEqual([3]);
    expect(idsOf(await page({ after: first.pageInfo.endCursor }))).toEqual([2]);
    expect(idsOf(await page({ last: 5 }))).toEqual([1]);
  });

  it('characters of several bytes → bytes are counted, not characters', async () => {
    const select = async (range: PageRange, order: 'asc' | 'desc') =>
      (await tableOf(upTo(100))(range, order)).map((row) => ({ ...row, text: '€'.repeat(tenth / 3) }));
    const { edges } = await readPage(parseInput(PageInput, {}), select);
    expect(edges).toHaveLength(10);
  });

  it('5,000 rows with empty texts → the page still ends: the rest of each row counts too', async () => {
    const { page } = heavy(upTo(5000), () => 0);
    const { edges, pageInfo } = await page({}, Number.POSITIVE_INFINITY);
    expect(edges.length).toBeGreaterThan(1000);
    expect(edges.length).toBeLessThan(1100);
    expect(pageInfo.hasNextPage).toBe(true);
  });

  it('450 light rows → at most 101 in a query, and only the last of each is read twice', async () => {
    const { page, queries } = heavy(upTo(450), () => 0);
    expect(idsOf(await page({}, Number.POSITIVE_INFINITY))).toEqual(newestFirst(upTo(450)));
    expect(queries).toEqual([101, 101, 101, 101, 50]);
  });

  it('several queries → other work runs between them', async () => {
    const { page } = heavy(upTo(450), () => 0);
    const turns: string[] = [];
    const other = new Promise<void>((resolve) => {
      setImmediate(() => resolve(void turns.push('other')));
    });
    await page({}, Number.POSITIVE_INFINITY).then(() => turns.push('list'));
    await other;
    expect(turns).toEqual(['other', 'list']);
  });

  it.each(['first', 'last'] as const)(
    'all pages, from the %s → each row once, within the bound',
    async (from) => {
      const sizes = [0, pageBytes * 1.2, 5000, tenth, 0];
      const { page } = heavy(upTo(30), (id) => sizes[id % sizes.length] ?? 0);
      const pages = await allPages(page, from);
      expect(pages.flatMap(idsOf)).toEqual(newestFirst(upTo(30)));
      expect(Math.max(...pages.map(bytesOf))).toBeLessThan(pageBytes * 2.2 + 300);
    },
  );
});

describe('pages one after the other, while rows are added', () => {
  const ids = [3, 1, 500, 77, 78, 9, 12];

  it.each([[[1]], [[3, 2]], [[7]]])('forwards in sizes of %j → each row once, in order', async (sizes) => {
    expect((await walk(ids, sizes, 'first')).flat()).toEqual(newestFirst(ids));
    expect(await walk([], sizes, 'first')).toEqual([[]]);
  });

  it.each([[[1]], [[3, 2]], [[7]]])('backwards in sizes of %j → each row once, in order', async (sizes) => {
    const shown = (await walk(ids, sizes, 'last')).toReversed().flat();
    expect(shown.filter((id) => id <= 500)).toEqual(newestFirst(ids));
  });
});

describe('invalid input', () => {
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

  it.each(['first', 'last'])('%s below 0 or above 100 → refused', (name) => {
    expect(issuesOf({ [name]: -1 })).toEqual([[[name], 'greater_than_equal']]);
    expect(issuesOf({ [name]: 101 })).toEqual([[[name], 'less_than_equal']]);
    expect([0, 100, null].map((size) => issuesOf({ [name]: size }))).toEqual([[], [], []]);
  });

  it('first and last at once → refused', () => {
    expect(issuesOf({ first: 1, last: 1 })).toEqual([[['last'], 'value_error']]);
    expect(issuesOf({ first: 0, last: 0 })).toEqual([[['last'], 'value_error']]);
    expect(issuesOf({ first: 1, last: null })).toEqual([]);
  });

  it.each([
    ...['', ' ', 'x', 'MQ==', 'MQ ', ' MQ', 'MR', '1', 'null', '🔑'],
    ...['0', '-1', '01', '1.5', '1e3', '0x10', ' 1', '1\n', '2147483648', '9'.repeat(400), 'NaN', ''].map(
      encode,
    ),
  ])('the cursor %j → refused', (text) => {
    expect(issuesOf({ after: text })).toEqual([[['after'], 'value_error']]);
    expect(issuesOf({ before: text })).toEqual([[['before'], 'value_error']]);
  });
});
