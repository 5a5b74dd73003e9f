import type { Kysely } from 'kysely';
import { type Db, type EntityRow, isForPostgres, type PreparedQuery } from './db.ts';
import type { Tables } from './tables.ts';

/** Reads the rows of several keys at once. */
type ReadAll<Key, Row> = (db: Db, keys: readonly Key[]) => Promise<readonly Row[]>;

/** The readers of one turn of the event loop. */
interface Gathered<Key, Row> {
  readonly keys: Key[];
  readonly rows: Promise<readonly Row[]>;
  /** A reader with the latest deadline. */
  db: Db;
}

/**
 * Lets the readers of one turn of the event loop share a statement, because on PostgreSQL its round trip costs more
 * than its rows. The statement is sent at the end of the turn: a reader never waits for a later one, and never gets a
 * state from before it asked. SQLite answers without a round trip, and a transaction sees its own state: neither
 * shares anything.
 * @param read gets the keys of all readers of a turn
 * @param most the most keys of a statement; a reader whose keys would exceed it begins another statement
 * @returns reads rows, those of the other readers' keys among them: each reader must pick its own. If the statement
 *   fails, all its readers fail.
 */
export function shareReads<Key, Row>(read: ReadAll<Key, Row>, most: number): ReadAll<Key, Row> {
  const gathering = new WeakMap<Kysely<Tables>, Gathered<Key, Row>>();

  const begin = (db: Db): Gathered<Key, Row> => {
    const rows = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      gathering.delete(db.kysely);
      return read(gathered.db, gathered.keys);
    });
    const gathered: Gathered<Key, Row> = { keys: [], rows, db };
    gathering.set(db.kysely, gathered);
    return gathered;
  };

  return async (db, keys) => {
    if (db.isTransaction || !isForPostgres(db.kysely)) return await read(db, keys);
    db.assertInTime();
    const open = gathering.get(db.kysely);
    const gathered = open && open.keys.length + keys.length <= most ? open : begin(db);
    gathered.keys.push(...keys);
    if (db.deadline > gathered.db.deadline) gathered.db = db;
    return await gathered.rows;
  };
}

/** The values of a query for several items: each item by its index, and what the query needs besides. */
export type ManyValues<Item, Values> = Values & { readonly [place: number]: Item };

/**
 * Prepares a query for any number of items: one for each power of two, so that they are few.
 * @param prepare prepares the query for a number of items
 * @param others makes the other values of the query
 */
export function prepareForMany<Item, Values extends object, Row>(
  prepare: (count: number) => PreparedQuery<ManyValues<Item, Values>, Row>,
  others: () => Values,
): (db: Db, items: readonly Item[]) => Promise<EntityRow<Row>[]> {
  const queries = new Map<number, ReturnType<typeof prepare>>();
  return (db, items) => {
    const count = 2 ** Math.ceil(Math.log2(items.length));
    const query = queries.get(count) ?? prepare(count);
    queries.set(count, query);
    const values = others() as Record<number, unknown>;
    // The last item fills the places that are left.
    for (let place = 0; place < count; place += 1) values[place] = items[Math.min(place, items.length - 1)];
    return query(db, values as ManyValues<Item, Values>);
  };
}

/** The items of {@link ManyValues}, for a condition with `in`. */
export const itemsOf = <Item>(values: { readonly [place: number]: Item }, count: number): Item[] =>
  Array.from({ length: count }, (_, place) => values[place] as Item);
