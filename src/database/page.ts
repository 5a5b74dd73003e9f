import { setImmediate } from 'node:timers/promises';
import type { EntityName } from '@mikro-orm/sql';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
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
    message: 'Must be omitted if first is given.',
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
async function readRows<Node extends { readonly id: number }>(
  wanted: number,
  select: (beyond: number | undefined, limit: number) => Promise<Node[]>,
) {
  const nodes: Node[] = [];
  let bytes = 0;
  for (;;) {
    // One row more than used shows whether more rows follow.
    const limit = Math.min(wanted - nodes.length + 1, rowsAtOnce);
    const rows = await select(nodes.at(-1)?.id, limit);
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
 * @param select runs the query: `desc` returns the newest rows of the range, `asc` the oldest
 * @param size the default number of rows
 */
export async function readPage<Node extends { readonly id: number }>(
  { first, after, last, before }: z.output<typeof PageInput>,
  select: (range: PageRange, order: 'asc' | 'desc') => Promise<Node[]>,
  size = pageSize,
): Promise<Page<Node>> {
  const backwards = typeof last === 'number';
  const floor = before ?? 0;
  const ceiling = after ? after - 1 : greatestId;
  const { nodes, hasMore } = await readRows(last ?? first ?? size, (beyond, limit) =>
    backwards
      ? select({ floor: beyond ?? floor, ceiling, limit }, 'asc')
      : select({ floor, ceiling: beyond === undefined ? ceiling : beyond - 1, limit }, 'desc'),
  );
  if (backwards) nodes.reverse();
  // The query searched in one direction only. In the other direction, there is at least the row of the cursor.
  return backwards ? toPage(nodes, before != null, hasMore) : toPage(nodes, hasMore, after != null);
}

function toPage<Node extends { readonly id: number }>(
  nodes: readonly Node[],
  hasNextPage: boolean,
  hasPreviousPage: boolean,
): Page<Node> {
  const edges = nodes.map((node) => ({ cursor: encodeCursor(node.id), node }));
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
  const { nodes, hasMore } = await readRows(first ?? pageSize, (beyond, limit) =>
    select({ floor: beyond ?? after ?? 0, ceiling: last, limit }, 'asc'),
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

/** The query for a whole list, as for `prepareQuery`. */
// biome-ignore lint/suspicious/noExplicitAny: any query that has the table.
type BuildList<Values, Row> = (db: Kysely<Tables>, values: Values) => SelectQueryBuilder<any, any, Row>;

/** Prepares the query for a range of a list, in both orders. */
export const prepareRange = <Values extends object, Row>(
  entity: EntityName,
  table: keyof Tables & string,
  build: BuildList<Values, Row>,
) => {
  const prepare = (order: 'asc' | 'desc') =>
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

type Ids = Pick<PageRange, 'floor' | 'ceiling'>;

/** Splits a range into the ids up to one, which comes last, and those that follow in the order. */
const splitAt = (id: number, { floor, ceiling }: Ids, order: 'asc' | 'desc'): readonly [Ids, Ids] =>
  order === 'asc'
    ? [
        { floor, ceiling: id },
        { floor: id, ceiling },
      ]
    : [
        { floor: id - 1, ceiling },
        { floor, ceiling: id - 1 },
      ];

/** The most rows that a query of {@link prepareSearch} looks at: a millisecond's work. */
const rowsLookedAt = 10_000;

/**
 * Prepares the pages of a list whose condition no index answers. Each query looks at 10,000 rows, so that on SQLite
 * others get their turn in between, however many rows there are and however few match.
 * @param build builds the query for the whole list; its rows become those of the page unchanged
 */
export function prepareSearch<Values extends object, Row>(
  entity: EntityName,
  table: keyof Tables & string,
  build: BuildList<Values, Row>,
): ReadPage<Values, EntityRow<Row> & { readonly id: number }> {
  type Node = EntityRow<Row> & { readonly id: number };
  const select = prepareRange(entity, table, build);
  const lastLookedAt = prepareRange(entity, table, (db, _: object) =>
    db
      .selectFrom(table)
      .select(sql<number>`${sql.ref(`${table}.id`)}`.as('id'))
      .offset(rowsLookedAt - 1),
  );
  return (db, page, values, size) =>
    readPage(
      page,
      async ({ limit, ...range }, order) => {
        const found: Node[] = [];
        for (let left = range; ; await setImmediate()) {
          const [last] = await lastLookedAt[order](db, { ...left, limit: 1 });
          const [part, rest] = last ? splitAt(last.id, left, order) : [left];
          const wanted = { ...values, ...part, limit: limit - found.length };
          found.push(...((await select[order](db, wanted)) as Node[]));
          if (!rest || found.length === limit) return found;
          left = rest;
        }
      },
      size,
    );
}
