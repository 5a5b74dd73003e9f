// Whose time it is. Nodes that share a database go by its clock. Nobody can check the clock of a single node, nor
// the database's; but time that leaps is noticed. What follows from a leap ahead cannot be taken back: deliveries are
// given up, expiries are announced that have not come. So a leap is a fault at first, and is told; after an hour in
// which nobody has corrected it, it is a fact: the service was off for that long.

import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Db, isForPostgres, prepareQuery } from '../../database/db.ts';
import { WebhookClock } from '../../database/tables.ts';
import { expiriesToldUntil, resetExpiries } from './expiries.ts';

/** The greatest difference between two clocks that is no leap, in milliseconds. */
const tolerance = 60 * 60_000;

/** The time for which a leap ahead is a fault, in milliseconds. */
const doubtFor = 60 * 60_000;

/** The database's clock, in milliseconds since 1970. */
const selectTime = prepareQuery(WebhookClock, (db, _: object) =>
  db.selectNoFrom(sql<string>`cast(extract(epoch from now()) * 1000 as bigint)`.as('time')),
);

/** The clock by which webhooks go. */
export class Clock {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #onCorrected: () => void;
  /** How far the database's clock is ahead of this node's, in milliseconds. */
  #offset = 0;
  /** The last time that was believed, and when that was by `performance.now()`. */
  #believed: { readonly time: number; readonly at: number } | undefined;
  /** The time since which the clock is doubted, by `performance.now()`. */
  #doubtedSince: number | undefined;

  /** @param onCorrected called if the clock was set back by more than an hour, whether it was believed or not */
  constructor(db: Db, logger: Logger, onCorrected: () => void) {
    this.#db = db;
    this.#logger = logger;
    this.#onCorrected = onCorrected;
  }

  /** The time now, by the clock that all nodes share. */
  readonly now = (): Date => new Date(Date.now() + this.#offset);

  /**
   * Reads the shared clock, and compares it with the time that must have passed.
   * @returns whether to act on what the clock says: to give deliveries up, and to announce expiries
   */
  async check(): Promise<boolean> {
    await this.#readShared();
    const told = await expiriesToldUntil(this.#db);
    if (!told) return true;
    const [time, at] = [this.now().getTime(), performance.now()];
    const last = this.#believed ?? { time: told.getTime(), at };
    const leap = time - last.time - (at - last.at);
    if (leap > tolerance && !this.#isOldDoubt(leap, at)) return false;
    if (leap < -tolerance) await this.#setBack(leap, time);
    else if (this.#doubtedSince !== undefined && leap <= tolerance) this.#onCorrected();
    this.#doubtedSince = undefined;
    this.#believed = { time, at };
    return true;
  }

  async #readShared(): Promise<void> {
    if (!isForPostgres(this.#db.kysely)) return;
    const before = Date.now();
    const [read] = await selectTime(this.#db, {});
    this.#offset = Number(read?.time) - (before + Date.now()) / 2;
  }

  /** Whether the clock has been ahead for so long that it must be right. */
  #isOldDoubt(leap: number, at: number): boolean {
    if (this.#doubtedSince === undefined) {
      this.#doubtedSince = at;
      this.#logger.error(
        { ahead_seconds: Math.round(leap / 1000) },
        'the clock jumped far ahead: for an hour, no webhook is given up and no expiry is announced',
      );
    }
    return at - this.#doubtedSince >= doubtFor;
  }

  async #setBack(leap: number, time: number): Promise<void> {
    this.#logger.warn(
      { behind_seconds: Math.round(-leap / 1000) },
      'the clock was set back: some expiries may be announced twice',
    );
    await resetExpiries(this.#db, new Date(time));
    this.#onCorrected();
  }
}
