import { sql } from 'kysely';
import type { Rate } from '../../config/config.ts';
import type { Db } from '../../database/db.ts';

/** What was used of a rate, from the first request on until it is reset. */
export interface Window {
  used: number;
  /** How much of it other nodes do not know of yet. */
  untold: number;
  /** When it is reset, on the clock of `performance.now`: nobody can set that one. */
  endsAt: number;
}

/** After how much of a rate the others are told. */
const share = 1 / 10;

/** How many statements of this process are under way at the most: whoever has real work needs connections too. */
const mostAtOnce = 2;

/** How often rows are deleted, and how long they must be over, in milliseconds. */
const cleaningInterval = 5 * 60_000;

/** Longer than any window is, in milliseconds. */
const beyondAnyWindow = 2 * 24 * 60 * 60_000;

/** The database's clock, in milliseconds since 1970: nodes may have clocks that differ. */
const now = sql<string>`cast(extract(epoch from now()) * 1000 as bigint)`;

/**
 * What nodes count together, in the database that they share: its table `rate_limit`. Times there go by the database's
 * clock, and no window of it ends later than its length from now, whatever was done to that clock. Disposing of it waits
 * for what is being told, and tells nothing more.
 */
export class SharedCounts implements AsyncDisposable {
  readonly #db: Db;
  /** Of which the others are being told. */
  readonly #telling = new Map<Window, Promise<void>>();
  #isOver = false;
  #cleanedAt = performance.now();

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Tells the others what was counted here, once that is a tenth of the rate, and takes over what all have counted.
   * It happens in the background; what could not be told is told with a later request.
   */
  tell(key: string, window: Window, rate: Rate): void {
    const isKnownToAll = window.used - window.untold >= rate.requests;
    if (isKnownToAll || window.untold < rate.requests * share) return;
    if (this.#isOver || this.#telling.has(window) || this.#telling.size >= mostAtOnce) return;
    this.#telling.set(window, this.#exchange(key, window, rate));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#telling.values());
  }

  async #exchange(key: string, window: Window, rate: Rate): Promise<void> {
    const told = window.untold;
    window.untold = 0;
    try {
      await this.#clean();
      const askedAt = performance.now();
      const { points, left } = await this.#add(key, told, window.endsAt - askedAt, rate);
      // No less than what was counted here: a crash of the server may have emptied the table.
      window.used = Math.max(points + window.untold, window.used);
      window.endsAt = askedAt + Number(left);
    } catch {
      // Until the database answers again, each process counts for itself.
      window.untold += told;
    }
    this.#telling.delete(window);
  }

  /**
   * Adds to a row, or begins it anew where it is over.
   * @param milliseconds until the window ends here
   * @returns what all have counted, and for how many milliseconds the window goes on
   */
  async #add(key: string, points: number, milliseconds: number, { seconds }: Rate) {
    const end = sql`${now} + ${Math.max(Math.ceil(milliseconds), 0)}::bigint`;
    const { rows } = await sql<{ points: number; left: string }>`
      insert into rate_limit as known (key, points, expire) values (${key}, ${points}, ${end})
      on conflict (key) do update set
        points = case when known.expire <= ${now} then 0 else known.points end + excluded.points,
        expire = case
          when known.expire <= ${now} then excluded.expire
          else least(known.expire, ${now} + ${seconds * 1000}::bigint)
        end
      returning points, expire - ${now} as left`.execute(this.#db.kysely);
    return rows[0] as (typeof rows)[0];
  }

  async #clean(): Promise<void> {
    if (performance.now() - this.#cleanedAt < cleaningInterval) return;
    this.#cleanedAt = performance.now();
    // What lies in the far future was written before the database's clock was set back.
    await sql`delete from rate_limit where expire < ${now} - ${cleaningInterval}::bigint
      or expire > ${now} + ${beyondAnyWindow}::bigint`.execute(this.#db.kysely);
  }
}
