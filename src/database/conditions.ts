import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { isForPostgres } from './db.ts';
import type { Tables } from './tables.ts';

/**
 * A condition that holds where no other transaction has a lock, which this one then has to its end. Nobody waits for it.
 * On SQLite it always holds: there a transaction begins when the one before has ended.
 * @param lock a number of 64 bits, in decimal digits
 */
export const tryLock = (kysely: Kysely<Tables>, lock: string): Expression<SqlBool> =>
  isForPostgres(kysely) ? sql`pg_try_advisory_xact_lock(cast(${lock} as bigint))` : sql`${lock} is not null`;

/**
 * A condition that holds where a text begins with another, byte for byte: a range of an index, on PostgreSQL one with
 * `text_pattern_ops`.
 * @param range the other text, and the greatest text that begins with it
 */
export function beginsWith(
  kysely: Kysely<Tables>,
  column: string,
  { filter, end }: { readonly filter: string; readonly end: string },
): Expression<SqlBool> {
  const text = sql.ref(column);
  return isForPostgres(kysely)
    ? sql`(${text} ~>=~ ${filter} and ${text} ~<~ ${end})`
    : sql`(${text} >= ${filter} and ${text} < ${end})`;
}
