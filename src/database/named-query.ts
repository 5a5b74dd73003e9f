import { createHash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** A query whose text is always the same: PostgreSQL plans it once for each connection, and knows it by this name. */
export interface NamedQuery extends CompiledQuery {
  readonly name: string;
  /** Whether it is the last of its transaction: it then goes to PostgreSQL together with COMMIT. */
  readonly last?: boolean;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Gives a query a name that no other text has: a digest, unless there is another. */
export const nameQuery = (query: CompiledQuery, name = digest(query.sql)): NamedQuery => ({ ...query, name });
