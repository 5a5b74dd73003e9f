import { createHash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** A query with a constant text and a name: PostgreSQL plans it once for each connection. */
export interface NamedQuery extends CompiledQuery {
  readonly name: string;
}

/** A query with its values. */
export interface Statement extends CompiledQuery {
  /** The name of the prepared query; undefined for all other queries. */
  readonly name?: string | undefined;
  /** Whether the query is the last of its transaction; COMMIT then goes along with it to PostgreSQL. */
  readonly last?: boolean | undefined;
  /** The time until which somebody waits for the answer, by `performance.now()`. */
  readonly deadline?: number;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/**
 * Names a query by a digest of its text, so that another text has another name.
 * @param name another name in place of the digest
 */
export const nameQuery = (query: CompiledQuery, name = digest(query.sql)): NamedQuery => ({ ...query, name });
