import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isForPostgres } from './db.ts';
import type { Tables } from './tables.ts';

/**
 * A condition that is true if no other transaction has the lock. The lock then belongs to this transaction until its
 * end. The condition never waits. On SQLite it is always true, because each transaction begins after the end of the
 * one before.
 * @param lock a 64-bit number, in decimal digits
 */
export const tryLock = (kysely: Kysely<Tables>, lock: string): Expression<SqlBool> =>
  isForPostgres(kysely) ? sql`pg_try_advisory_xact_lock(cast(${lock} as bigint))` : sql`${lock} is not null`;

/**
 * Tells SQLite that few rows meet a condition, so that it uses the condition's index. It has no statistics, and would
 * rather use another index that also bounds the ids of a page. PostgreSQL has statistics.
 */
export const rarely = (kysely: Kysely<Tables>, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  isForPostgres(kysely) ? condition : sql`unlikely(${condition})`;

// The locks of rows, from the strongest: other transactions that want a lock that excludes it wait until this transaction
// ends (https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS). SQLite needs none, because a
// transaction is its only writer.

/**
 * Makes a function that adds a lock to a query.
 * @returns takes the table whose rows are locked; all tables of the query if missing
 */
const lockBy =
  <Lock extends 'forUpdate' | 'forNoKeyUpdate' | 'forKeyShare'>(lock: Lock) =>
  <Query extends Record<Lock, (table?: never) => Query>>(
    kysely: Kysely<Tables>,
    query: Query,
    table?: keyof Tables,
  ): Query =>
    isForPostgres(kysely) ? query[lock](table as never) : query;

/** Adds a lock to a query: others neither change the rows nor add what belongs to them. */
export const forUpdate = lockBy('forUpdate');

/** Adds a lock to a query: others do not change the rows, and may still add what belongs to them. */
export const forNoKeyUpdate = lockBy('forNoKeyUpdate');

/** Adds a lock to a query: others do not remove the rows. */
export const forKeyShare = lockBy('forKeyShare');

/**
 * A condition on a row that belongs to an account: the account was not erased. It reads that account alone. SQLite would
 * read all accounts for `account_id in (select id from account …)`.
 */
export const isNotErased = (table: 'api_key' | 'idempotency_record'): RawBuilder<SqlBool> =>
  sql`exists (select 1 from ${sql.table('account')}
    where ${sql.ref('account.id')} = ${sql.ref(`${table}.account_id`)} and ${sql.ref('account.erased_at')} is null)`;

/** A text that somebody searches for. */
export interface Filtered {
  readonly filter: string;
}

/**
 * Where in a text another text (`filter`) is first, ignoring case: 1 at its beginning, 0 nowhere. On SQLite, only the
 * case of the letters A to Z is ignored.
 */
export function positionIn(kysely: Kysely<Tables>, column: string, { filter }: Filtered): RawBuilder<number> {
  const [text, part] = [sql`lower(${sql.ref(column)})`, sql`lower(${filter})`];
  return isForPostgres(kysely) ? sql`strpos(${text}, ${part})` : sql`instr(${text}, ${part})`;
}

/**
 * A condition that is true if a text begins with another text (`filter`), with case as in {@link positionIn}. An index
 * on the lower-case text, ordered by bytes, answers it.
 */
export function beginsWith(
  kysely: Kysely<Tables>,
  column: string,
  { filter }: Filtered,
): RawBuilder<SqlBool> {
  const [text, part] = [sql`lower(${sql.ref(column)})`, sql`lower(${filter})`];
  // The bound is above everything that begins with the text. On SQLite, by a byte that no character has; on PostgreSQL,
  // which refuses such a byte, by more of the greatest character than a subject has characters.
  if (!isForPostgres(kysely)) return sql`(${text} >= ${part} and ${text} < ${part} || x'ff')`;
  const ordered = sql`${text} collate "C"`;
  return sql`(${ordered} >= ${part} and ${ordered} < ${part} || repeat(chr(1114111), 256))`;
}

/**
 * A table with the texts of a list, in the column `value`.
 * @param list the list, as a JSON array: one parameter, whatever its length
 */
export const listOf = (kysely: Kysely<Tables>, list: string): RawBuilder<{ readonly value: string }> =>
  isForPostgres(kysely) ? sql`json_array_elements_text(cast(${list} as json))` : sql`json_each(${list})`;

/**
 * A condition that is true if a number is in a list.
 * @param list the list, as a JSON array: one parameter, whatever its length
 */
export const isListed = (kysely: Kysely<Tables>, column: string, list: string): Expression<SqlBool> =>
  isForPostgres(kysely)
    ? sql`${sql.ref(column)} = any(array(select cast(value as integer) from json_array_elements_text(cast(${list} as json))))`
    : sql`${sql.ref(column)} in (select value from json_each(${list}))`;

/** The two states that match a filter, as values of a query. They are equal if only one state is wanted. */
export const statesOf = (wanted: boolean | null | undefined) => ({
  state: wanted ?? true,
  otherState: wanted ?? false,
});

/** See {@link statesOf}. */
export type States = ReturnType<typeof statesOf>;
