import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
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
 * A condition that is true if a text begins with another text, byte for byte. An index answers it as a range; on
 * PostgreSQL, the index needs `text_pattern_ops`.
 * @param range the other text (`filter`), and the upper end of the range (`end`): `filter` followed by the greatest
 *   character
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
