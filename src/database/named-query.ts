import { createHash } from 'node:crypto';
import type { CompiledQuery } from 'kysely';

/** A query whose text is always the same: PostgreSQL plans it once for each connection, and knows it by this name. */
export interface NamedQuery extends CompiledQuery {
  readonly name: string;
}

/** A query as it is asked, with the values of this time. */
export interface Question extends CompiledQuery {
  /** Left out of one that was not written to be asked again. */
  readonly name?: string | undefined;
  /** Whether it is the last of its transaction: it then goes to PostgreSQL together with COMMIT. */
  readonly last?: boolean | undefined;
  /** Until when its answer is worth waiting for, on the clock of `performance.now`. */
  readonly deadline?: number;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Gives a query a name that no other text has: a digest, unless there is another. */
export const nameQuery = (query: CompiledQuery, name = digest(query.sql)): NamedQuery => ({ ...query, name });
