import { setImmediate } from 'node:timers/promises';
import type { EntityName } from '@mikro-orm/sql';
import type { Kysely, SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import { type Db, type EntityRow, prepareQuery } from './db.ts';
import type { Tables } from './tables.ts';

/** The most rows of a page, and also the default. */
export const pageSize = 100;

/**
 * The bytes after which a page ends early, whatever number of rows was wanted. Whoever lists the heaviest rows then
 * holds up everybody else for some milliseconds, and not for half a second.
 */
export const pageBytes = 320 * 1024;

/** What a row counts beside its texts, in bytes: the names of its members, and its numbers and dates. */
const bytesBesideTexts = 300;

/** The most rows of one query, so that the service never holds a long list of heavy rows. */
const rowsAtOnce = pageSize + 1;

/** The greatest id of a 32-bit integer column. */
export const greatestId = 2 ** 31 - 1;

const encodeCursor = (place: number): string => Buffer.from(`${place}`).toString('base64url');

/** Decodes the place in a cursor; undefined for a text that this service cannot have made. */
function decodeCursor(cursor: string, greatest: number): number | undefined {
  const place = Number(Buffer.from(cursor, 'base64url').toString());
  const isPlace = Number.isInteger(place) && place > 0 && place <= greatest;
  return isPlace && encodeCursor(place) === cursor ? place : undefined;
}

const count = z.int().min(0, 'Must be at least 0.').max(pageSize, `Must be at most ${pageSize}.`).nullish();

/** Says that a cursor is not one of the list. */
export const strayCursor = 'Must be a cursor from an earlier page.';

const cursorUpTo = (greatest: number) =>
  z
    .string()
    .meta({ pattern: String.raw`^[\w-]{2,14}$` })
    .transform((text, check) => {
      const place = decodeCursor(text, greatest);
      if (place !== undefined) return place;
      check.addIssue({ code: 'custom', message: strayCursor });
      return z.NEVER;
    })
    .nullish();

/** {@link PageInput} of a list in which the places of rows may be greater than ids. */
export const pageInputUpTo = (greatest: number) =>
  z
    .object({ first: count, after: cursorUpTo(greatest), last: count, before: cursorUpTo(greatest) })
    .refine(({ first, last }) => typeof first !== 'number' || typeof last !== 'number', {
      path: ['last'],
      message: 'Must be omitted if first is given.',
    });

/**
 * The requested part of a list, by Relay's rules: the `first` members after a cursor, or the `last` members before
 * one. A cursor identifies a row, so a page neither repeats nor misses a row if others are added meanwhile.
 */
export const PageInput = pageInputUpTo(greatestId);

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

/** `desc` returns the newest rows of a range, `asc` the oldest. */
export type Order = 'asc' | 'desc';

/** The places of rows in a list: the row with the greatest one comes first. */
export interface Places<Node> {
  readonly greatest: number;
  of(node: Node): number;
}

/** The newest row has the greatest id. */
const byId: Places<{ readonly id: number }> = { greatest: greatestId, of: ({ id }) => id };

/**
 * The bytes that a row adds to an answer at the most: its texts vary, and everything else has a small fixed size. As
 * JSON, because a control character of a text has six bytes in an answer.
 */
const bytesOf = (row: object): number => {
  let bytes = bytesBesideTexts;
  for (const value of Object.values(row))
    if (typeof value === 'string' || Array.isArray(value)) bytes += Buffer.byteLength(JSON.stringify(value));
  return bytes;
};

/**
 * Reads rows until there are as many as wanted, or until they have {@link pageBytes}.
 * @returns the rows in the order of the query, and whether more rows follow
 */
async function readRows<Node extends object>(
  wanted: number,
  select: (last: Node | undefined, limit: number) => Promise<Node[]>,
) {
  const nodes: Node[] = [];
  let bytes = 0;
  for (;;) {
    // One row more than used shows whether more rows follow.
    const limit = Math.min(wanted - nodes.length + 1, rowsAtOnce);
    const rows = await select(nodes.at(-1), limit);
    for (const row of rows.slice(0, limit - 1)) {
      if (bytes >= pageBytes) return { nodes, hasMore: true };
      nodes.push(row);
      bytes += bytesOf(row);
    }
    if (rows.length < limit) return { nodes, hasMore: false };
    if (nodes.length >= wanted || bytes >= pageBytes) return { nodes, hasMore: true };
    // SQLite answers within the call, so others get their turn between two queries.
    await setImmediate();
  }
}

/**
 * Reads a page of a list in which the newest rows, with the greatest ids, come first. The page ends early after the
 * row with which it has {@link pageBytes}; it always has at least one row if there is one.
 * @param select runs the query
 * @param size the default number of rows
 * @param places the places of the rows, if they are not the ids; `select` then gets places as well
 */
export async function readPage<Node extends { readonly id: number }>(
  { first, after, last, before }: z.output<typeof PageInput>,
  select: (range: PageRange, order: Order) => Promise<Node[]>,
  size = pageSize,
  places: Places<Node> = byId,
): Promise<Page<Node>> {
  const backwards = typeof last === 'number';
  const floor = before ?? 0;
  const ceiling = after ? after - 1 : places.greatest;
  const { nodes, hasMore } = await readRows<Node>(last ?? first ?? size, (beyond, limit) =>
    backwards
      ? select({ floor: beyond ? places.of(beyond) : floor, ceiling, limit }, 'asc')
      : select({ floor, ceiling: beyond ? places.of(beyond) - 1 : ceiling, limit }, 'desc'),
  );
  if (backwards) nodes.reverse();
  // The query searched in one direction only. In the other direction, there is at least the row of the cursor.
  return backwards
    ? toPage(nodes, before != null, hasMore, places)
    : toPage(nodes, hasMore, after != null, places);
}

function toPage<Node extends { readonly id: number }>(
  nodes: readonly Node[],
  hasNextPage: boolean,
  hasPreviousPage: boolean,
  places: Places<Node> = byId,
): Page<Node> {
  const edges = nodes.map((node) => ({ cursor: encodeCursor(places.of(node)), node }));
  const startCursor = edges[0]?.cursor ?? null;
  const endCursor = edges.at(-1)?.cursor ?? null;
  return { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } };
}

/**
 * Reads a page of a list in which the oldest rows come first, up to a last id. Its `endCursor` is a cursor from which
 * to go on later, also if the page is empty: after the last page, it stands for that last id.
 * @param last the id up to which no row can come any more
 */
export async function readOldest<Node extends { readonly id: number }>(
  { first, after }: Pick<z.output<typeof PageInput>, 'first' | 'after'>,
  last: number,
  select: (range: PageRange, order: 'asc') => Promise<Node[]>,
): Promise<Page<Node>> {
  const { nodes, hasMore } = await readRows<Node>(first ?? pageSize, (beyond, limit) =>
    select({ floor: beyond?.id ?? after ?? 0, ceiling: last, limit }, 'asc'),
  );
  const page = toPage(nodes, hasMore, after != null);
  const reached = Math.max(last, after ?? 0);
  if (hasMore || reached === 0) return page;
  return { ...page, pageInfo: { ...page.pageInfo, endCursor: encodeCursor(reached) } };
}

/** Reads a page of a list whose query needs some values; `size` is the default number of rows. */
export type ReadPage<Values, Node> = (
  db: Db,
  page: z.output<typeof PageInput>,
  values: Values,
  size?: number,
) => Promise<Page<Node>>;

/** Any query that has the table. */
// biome-ignore lint/suspicious/noExplicitAny: it may have other tables too.
type ListQuery<Row> = SelectQueryBuilder<any, any, Row>;

/** The query for a whole list, as for `prepareQuery`. */
export type BuildList<Values, Row> = (db: Kysely<Tables>, values: Values) => ListQuery<Row>;

/** Prepares the queries for a range of a list, in either order. */
export const prepareRange = <Values extends object, Row>(
  entity: EntityName,
  table: keyof Tables & string,
  build: BuildList<Values, Row>,
) => {
  const prepare = (order: Order) =>
    prepareQuery(entity, (db, values: Values & PageRange) =>
      build(db, values)
        .where(`${table}.id`, '>', values.floor)
        .where(`${table}.id`, '<=', values.ceiling)
        .orderBy(`${table}.id`, order)
        .limit(values.limit),
    );
  return { asc: prepare('asc'), desc: prepare('desc') };
};

/**
 * Prepares the queries for the pages of a list, from either end.
 * @param entity the entity whose properties replace the columns of a row
 * @param table the table whose ids order the list
 * @param build builds the query for the whole list
 * @param convert converts a row to a member of the list
 */
export function preparePages<
  Values extends object,
  Row,
  Node extends { readonly id: number } = EntityRow<Row> & { readonly id: number },
>(
  entity: EntityName,
  table: keyof Tables & string,
  build: BuildList<Values, Row>,
  convert = (row: EntityRow<Row>) => row as unknown as Node,
): ReadPage<Values, Node> {
  const select = prepareRange(entity, table, build);
  return (db, page, values, size) =>
    readPage(
      page,
      async (range, order) => (await select[order](db, { ...values, ...range })).map(convert),
      size,
    );
}
