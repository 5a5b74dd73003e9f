import type { DriverException } from '@mikro-orm/core';
import { once } from '../once.ts';
import { OutcomeUnknownError } from './failures.ts';

/** The time for which an unconfirmed change counts, in milliseconds: longer than between two writes of usage counts. */
const remembered = 60_000;

/** The codes of a full or failing disk, of SQLite and of PostgreSQL. */
const diskFault = /^(SQLITE_(FULL|IOERR)|53100$)/;

const isUnconfirmed = (error: unknown): boolean =>
  error instanceof OutcomeUnknownError || diskFault.test(String((error as Partial<DriverException>).code));

/** The changes that a database did not confirm lately, although it may read as ever. */
class UnconfirmedChanges {
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Notes the error of a transaction. */
  note(error: unknown): void {
    if (isUnconfirmed(error)) this.#lastAt = performance.now();
  }

  /** Whether a change was not confirmed within the last minute. */
  get areRecent(): boolean {
    return performance.now() - this.#lastAt < remembered;
  }
}

/** The unconfirmed changes of each database, by the ORM's driver. */
export const unconfirmedChangesOf = once((_driver: object) => new UnconfirmedChanges());
