import type { Warn } from '../backend.ts';
import { isStalePlan, isStrayStatement } from '../failures.ts';
import type { Statement } from '../named-query.ts';

/** The time without named statements after a stale plan, in milliseconds, because migrations come in groups. */
const pause = 60_000;

const strayWarning =
  'a pooler between Keyward and PostgreSQL cannot keep prepared statements: none are used any more; DATABASE_STATEMENTS=unnamed says so from the start';

/**
 * Decides which statements are prepared by name, so that PostgreSQL plans them once for each connection. They are as
 * many as the source code's prepared queries; all other statements have no name.
 */
export class Statements {
  readonly #warn: Warn;
  /** The time from which statements are named, by `performance.now()`. */
  #namedFrom: number;
  /** The connections that are newer than the last stale plan. */
  #current = new WeakSet<object>();

  /** @param warn receives at most one message, if a pooler cannot keep prepared statements */
  constructor(kind: 'named' | 'unnamed', warn: Warn) {
    this.#namedFrom = kind === 'named' ? 0 : Number.POSITIVE_INFINITY;
    this.#warn = warn;
  }

  /** The name of a query's prepared statement; undefined: the query has no name. */
  nameOf(query: Statement): string | undefined {
    return performance.now() < this.#namedFrom ? undefined : query.name;
  }

  /** Registers a new connection. */
  admit(connection: object): void {
    this.#current.add(connection);
  }

  /** Whether a connection has no stale statements; any other connection should be closed. */
  isCurrent(connection: object): boolean {
    return this.#current.has(connection);
  }

  /** Changes the preparation of statements if it caused the error; returns false for any other error. */
  mend(error: Error): boolean {
    if (isStalePlan(error)) {
      // No statement is named for a while, because a pooler may keep stale plans too.
      this.#current = new WeakSet();
      this.#namedFrom = Math.max(this.#namedFrom, performance.now() + pause);
      return true;
    }
    if (!isStrayStatement(error)) return false;
    if (this.#namedFrom !== Number.POSITIVE_INFINITY) this.#warn(strayWarning);
    this.#namedFrom = Number.POSITIVE_INFINITY;
    return true;
  }
}
