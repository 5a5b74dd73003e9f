import type { z } from 'zod';
import { type Page, PageInput, type PageRange, readPage } from '../../src/database/page.ts';
import { parseInput } from '../../src/operations/operation.ts';

interface Row {
  readonly id: number;
}

/** A table that holds these ids, and answers as a query for a page must. */
export const tableOf = (ids: readonly number[]) => (range: PageRange, order: 'asc' | 'desc') => {
  const found = ids.filter((id) => id > range.floor && id <= range.ceiling);
  const sorted = found.toSorted((a, b) => (order === 'asc' ? a - b : b - a));
  return Promise.resolve(sorted.slice(0, range.limit).map((id): Row => ({ id })));
};

export const read = (ids: readonly number[], input: z.input<typeof PageInput> = {}) =>
  readPage(parseInput(PageInput, input), tableOf(ids));

export const idsOf = ({ edges }: Page<Row>) => edges.map(({ node }) => node.id);
export const newestFirst = (ids: readonly number[]) => ids.toSorted((a, b) => b - a);
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** A table of rows with a text of so many bytes each, and how many rows each query returned. */
export const heavy = (ids: readonly number[], sizeOf: (id: number) => number) => {
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
export const bytesOf = (page: Page<object>) =>
  Buffer.byteLength(JSON.stringify(page.edges.map(({ node }) => node)));
export type Direction = 'first' | 'last';

/** What asks for the page after this one, in a direction; undefined at the end. */
const inputAfter = ({ pageInfo }: Page<Row>, direction: Direction) => {
  if (direction === 'first')
    return pageInfo.hasNextPage ? { first: 100, after: pageInfo.endCursor } : undefined;
  return pageInfo.hasPreviousPage ? { last: 100, before: pageInfo.startCursor } : undefined;
};

/** All pages of a list, newest first. */
export const allPages = async (page: ReturnType<typeof heavy>['page'], direction: Direction) => {
  const pages: Page<Row>[] = [];
  for (let input: z.input<typeof PageInput> | undefined = { [direction]: 100 }; input; ) {
    const found: Page<Row> = await page(input);
    pages.push(found);
    input = inputAfter(found, direction);
  }
  return direction === 'first' ? pages : pages.toReversed();
};

/** All pages one after the other, of the given sizes in turn, while three rows are added behind the reader's back. */
export const walk = async (ids: readonly number[], sizeOf: readonly number[], direction: Direction) => {
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
