import { type Expression, type Kysely, PostgresAdapter, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

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
  return kysely.getExecutor().adapter instanceof PostgresAdapter
    ? sql`(${text} ~>=~ ${filter} and ${text} ~<~ ${end})`
    : sql`(${text} >= ${filter} and ${text} < ${end})`;
}
