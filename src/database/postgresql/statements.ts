import type { Warn } from '../backend.ts';
import { isStalePlan, isStrayStatement } from '../failures.ts';
import type { Question } from '../named-query.ts';

/** For how long no statement is named after a plan was stale, in milliseconds: migrations come in groups. */
const pause = 60_000;

const strayWarning =
  'a pooler between Keyward and PostgreSQL cannot keep prepared statements: none are used any more; DATABASE_STATEMENTS=unnamed says so from the start';

/**
 * Which statements are prepared by name, and so planned once for each connection. There are as many as the source has
 * prepared queries; any other statement has no name.
 */
export class Statements {
  readonly #warn: Warn;
  /** From when on they are named, on the clock of `performance.now`. */
  #namedFrom: number;
  /** Connections that were made since the last plan was stale. */
  #current = new WeakSet<object>();

  /** @param warn told at most once, where a pooler cannot keep them */
  constructor(kind: 'named' | 'unnamed', warn: Warn) {
    this.#namedFrom = kind === 'named' ? 0 : Number.POSITIVE_INFINITY;
    this.#warn = warn;
  }

  /** The name to send a query by; undefined: it is sent without one. */
  nameOf(query: Question): string | undefined {
    return performance.now() < this.#namedFrom ? undefined : query.name;
  }

  /** Notes a connection that was just made. */
  admit(connection: object): void {
    this.#current.add(connection);
  }

  /** Whether no statement on a connection can be stale; one that may have some is best closed. */
  isCurrent(connection: object): boolean {
    return this.#current.has(connection);
  }

  /** Prepares in another way from now on what failed for how it was prepared; false for any other error. */
  mend(error: Error): boolean {
    if (isStalePlan(error)) return this.#renew();
    return isStrayStatement(error) && this.#giveUp();
  }

  /** A pooler may keep stale plans as well: so nothing is named for a while, and what is not named is never stale. */
  #renew(): true {
    this.#current = new WeakSet();
    this.#namedFrom = Math.max(this.#namedFrom, performance.now() + pause);
    return true;
  }

  #giveUp(): true {
    if (this.#namedFrom !== Number.POSITIVE_INFINITY) this.#warn(strayWarning);
    this.#namedFrom = Number.POSITIVE_INFINITY;
    return true;
  }
}
