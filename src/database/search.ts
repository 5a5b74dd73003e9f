import { setImmediate } from 'node:timers/promises';
import type { EntityName } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { isListed } from './conditions.ts';
import { type Db, type EntityRow, isForPostgres, prepareQuery } from './db.ts';
import {
  type BuildList,
  greatestId,
  type Order,
  type PageRange,
  prepareRange,
  type ReadPage,
  readPage,
} from './page.ts';
import type { Tables } from './tables.ts';

type Ids = Pick<PageRange, 'floor' | 'ceiling'>;

/** Splits a range into the ids up to one, which comes last, and those that follow in the order. */
const splitAt = (id: number, { floor, ceiling }: Ids, order: Order): readonly [Ids, Ids] =>
  order === 'asc'
    ? [
        { floor, ceiling: id },
        { floor: id, ceiling },
      ]
    : [
        { floor: id - 1, ceiling },
        { floor, ceiling: id - 1 },
      ];

/** The most rows that a query looks at if no index helps: a millisecond's work. */
const rowsLookedAt = 10_000;

/**
 * The most rows that are few: they are read by their ids, which takes some milliseconds. If there are more, one of them
 * is soon found among the newest rows.
 */
const few = 5000;

/** Ids that an index found, as a JSON array. */
interface FoundIds {
  readonly ids: string;
  /** Whether there are more. */
  readonly isPart: boolean;
}

/**
 * Prepares a query for the ids of rows, of which an index finds each at once.
 * @param build builds the query for all ids
 */
export function prepareIds<Values extends object>(
  entity: EntityName,
  build: BuildList<Values, { readonly id: number }>,
): (db: Db, values: Values) => Promise<FoundIds> {
  const find = prepareQuery(entity, (db, values: Values) => {
    const list = isForPostgres(db)
      ? sql<string>`cast(json_agg(id) as text)`
      : sql<string>`json_group_array(id)`;
    return db
      .selectFrom(
        build(db, values)
          .limit(sql.lit(few + 1))
          .as('found'),
      )
      .select([list.as('ids'), sql<boolean>`count(*) > ${sql.lit(few)}`.as('isPart')]);
  });
  return async (db, values) => {
    const [found] = await find(db, values);
    return { ids: found?.ids ?? '[]', isPart: Boolean(found?.isPart) };
  };
}

/** Selects the rows of a range. */
type Select<Values, Node> = (db: Db, values: Values, range: PageRange, order: Order) => Promise<Node[]>;

/**
 * Prepares a search: by an index if few rows match, and otherwise row by row. Each query then looks at 10,000 rows, so
 * that on SQLite others get their turn in between, however many rows there are. An index alone would have to sort all
 * rows that match.
 * @param build builds the query for the whole list; its rows become those of the page unchanged
 * @param findIds finds the ids of all rows that match, perhaps with others; undefined if no index can
 */
export function prepareSearch<Values extends object, Row>(
  entity: EntityName,
  table: keyof Tables & string,
  build: BuildList<Values, Row>,
  findIds: (db: Db, values: Values) => Promise<FoundIds | undefined>,
): Select<Values, EntityRow<Row> & { readonly id: number }> {
  type Node = EntityRow<Row> & { readonly id: number };
  const select = prepareRange(entity, table, build);
  const selectListed = prepareRange(entity, table, (db, values: Values & { readonly ids: string }) =>
    build(db, values).where(isListed(db, `${table}.id`, values.ids)),
  );
  const lastLookedAt = prepareRange(entity, table, (db, _: object) =>
    db
      .selectFrom(table)
      .select(sql<number>`${sql.ref(`${table}.id`)}`.as('id'))
      .offset(rowsLookedAt - 1),
  );
  const lookAtAll: Select<Values, Node> = async (db, values, { limit, ...range }, order) => {
    const found: Node[] = [];
    for (let left: Ids = range; ; await setImmediate()) {
      const [last] = await lastLookedAt[order](db, { ...left, limit: 1 });
      const [part, rest] = last ? splitAt(last.id, left, order) : [left];
      const wanted = { ...values, ...part, limit: limit - found.length };
      found.push(...((await select[order](db, wanted)) as Node[]));
      if (!rest || found.length === limit) return found;
      left = rest;
    }
  };
  return async (db, values, range, order) => {
    const found = await findIds(db, values);
    if (!found || found.isPart) return lookAtAll(db, values, range, order);
    if (found.ids === '[]') return [];
    return (await selectListed[order](db, { ...values, ...range, ids: found.ids })) as Node[];
  };
}

/** By how much the places in a list are greater than those in the list that comes after it. */
const span = greatestId + 1;

/** The greatest place in two lists, one after the other. */
export const greatestPlace = 3 * span - 1;

/** Whether a cursor is one of {@link readInTurn}: its places are above all ids, so no other list's cursor is taken for one. */
export const isOfTwoLists = (place: number): boolean => place > greatestId;

/**
 * Selects the rows of a list by their places in both.
 * @param base by how much the places are greater than the ids
 * @param places receives the places of the rows
 */
const selectByPlace =
  <Values, Node extends { readonly id: number }>(
    base: number,
    list: Select<Values, Node>,
    places: Map<Node, number>,
  ): Select<Values, Node> =>
  async (db, values, { floor, ceiling, limit }, order) => {
    const range = {
      floor: Math.max(floor - base, 0),
      ceiling: Math.min(ceiling - base, greatestId),
      limit,
    };
    if (limit === 0 || range.floor >= range.ceiling) return [];
    const nodes = await list(db, values, range, order);
    for (const node of nodes) places.set(node, base + node.id);
    return nodes;
  };

/**
 * Reads pages of two lists, one after the other. If the first list fills the page, nobody asks for the second. A cursor
 * says in which list the row was, so it stays right if the row has changed since.
 */
export const readInTurn =
  <Values, Node extends { readonly id: number }>(
    first: Select<Values, Node>,
    second: Select<Values, Node>,
  ): ReadPage<Values, Node> =>
  (db, page, values, size) => {
    const places = new Map<Node, number>();
    const both = [selectByPlace(2 * span, first, places), selectByPlace(span, second, places)];
    const select = async ({ limit, ...range }: PageRange, order: Order) => {
      const found: Node[] = [];
      for (const list of order === 'desc' ? both : both.toReversed())
        found.push(...(await list(db, values, { ...range, limit: limit - found.length }, order)));
      return found;
    };
    return readPage(page, select, size, { greatest: greatestPlace, of: (node) => places.get(node) ?? 0 });
  };
