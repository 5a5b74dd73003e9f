import { z } from 'zod';

/** The most rows of a page, and also the default. */
export const pageSize = 100;

/** The greatest id of a 32-bit integer column. */
const greatestId = 2 ** 31 - 1;

const encodeCursor = (id: number): string => Buffer.from(`${id}`).toString('base64url');

/** Decodes the id in a cursor; undefined for a text that this service cannot have made. */
function decodeCursor(cursor: string): number | undefined {
  const id = Number(Buffer.from(cursor, 'base64url').toString());
  const isId = Number.isInteger(id) && id > 0 && id <= greatestId;
  return isId && encodeCursor(id) === cursor ? id : undefined;
}

const count = z.int().min(0, 'Must be at least 0.').max(pageSize, `Must be at most ${pageSize}.`).nullish();

const cursor = z
  .string()
  .meta({ pattern: String.raw`^[\w-]{2,14}$` })
  .transform((text, check) => {
    const id = decodeCursor(text);
    if (id !== undefined) return id;
    check.addIssue({ code: 'custom', message: 'Must be a cursor from an earlier page.' });
    return z.NEVER;
  })
  .nullish();

/**
 * The requested part of a list, by Relay's rules: the `first` members after a cursor, or the `last` members before
 * one. A cursor identifies a row, so a page neither repeats nor misses a row if others are added meanwhile.
 */
export const PageInput = z
  .object({ first: count, after: cursor, last: count, before: cursor })
  .refine(({ first, last }) => typeof first !== 'number' || typeof last !== 'number', {
    path: ['last'],
    message: 'Must be left out where first is given.',
  });

/** A page of a list, newest first, as a Relay connection. */
export interface Page<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The rows that the query for a page must return: ids above `floor` and up to `ceiling`, at most `limit` rows. */
export interface PageRange {
  readonly floor: number;
  readonly ceiling: number;
  readonly limit: number;
}

/**
 * Reads a page of a list in which the newest rows, with the greatest ids, come first.
 * @param select runs the query: `desc` returns the newest rows of the range, `asc` the oldest
 * @param size the default number of rows
 */
export async function readPage<Node extends { readonly id: number }>(
  { first, after, last, before }: z.output<typeof PageInput>,
  select: (range: PageRange, order: 'asc' | 'desc') => Promise<Node[]>,
  size = pageSize,
): Promise<Page<Node>> {
  const backwards = typeof last === 'number';
  const wanted = last ?? first ?? size;
  // One row more than requested shows whether more rows follow.
  const range = { floor: before ?? 0, ceiling: after ? after - 1 : greatestId, limit: wanted + 1 };
  const found = await select(range, backwards ? 'asc' : 'desc');
  const hasMore = found.length > wanted;
  const nodes = found.slice(0, wanted);
  if (backwards) nodes.reverse();
  const edges = nodes.map((node) => ({ cursor: encodeCursor(node.id), node }));
  return {
    edges,
    pageInfo: {
      // The query searched in one direction only. In the other direction, there is at least the row of the cursor.
      hasNextPage: backwards ? before != null : hasMore,
      hasPreviousPage: backwards ? hasMore : after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
