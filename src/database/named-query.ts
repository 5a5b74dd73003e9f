import { hash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** A query with its values. */
export interface Statement extends CompiledQuery {
  /** The name of the prepared query; undefined for all other queries. */
  readonly name?: string | undefined;
  /** Whether the query is the last of its transaction; COMMIT then goes along with it to PostgreSQL. */
  readonly last?: boolean | undefined;
  /** The time until which somebody waits for the answer, by `performance.now()`. */
  readonly deadline?: number;
}

/**
 * Names a query with a constant text, so that PostgreSQL plans it once for each connection: by a digest of the text, so
 * that another text has another name.
 */
export const nameQuery = (query: CompiledQuery) => ({
  ...query,
  name: hash('sha256', query.sql, 'base64url').slice(0, 16),
});
