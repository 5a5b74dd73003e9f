import { sql } from 'kysely';
import type { Rate } from '../../config/config.ts';
import type { Db } from '../../database/db.ts';

/** The used part of a rate, from the first request to the reset. */
export interface Window {
  used: number;
  /** The part of the count that other nodes do not know yet. */
  untold: number;
  /** What the running requests may yet count as. Other nodes learn of nothing that may be given back. */
  reserved: number;
  /** The requests whose answers may be long, and are not there yet. */
  open: number;
  /** The length from the first request to the reset. */
  seconds: number;
  /** The time of the reset, by `performance.now()`, a clock that nobody can set. */
  endsAt: number;
}

/** The share of a rate after which other nodes learn of the count. */
const share = 1 / 10;

/** The most concurrent statements of this process, because requests need connections too. */
const mostAtOnce = 2;

/** The interval between deletions, and the time since its end after which a row is deleted, in milliseconds. */
const cleaningInterval = 5 * 60_000;

/** A time longer than every window, in milliseconds. */
const beyondAnyWindow = 2 * 24 * 60 * 60_000;

/** The database's clock, in milliseconds since 1970, because the nodes' clocks may differ. */
const now = sql<string>`cast(extract(epoch from now()) * 1000 as bigint)`;

/**
 * The counts that all nodes share, in the table `rate_limit` of their database. Its times are by the database's
 * clock; whatever happens to that clock, no window ends later than its own length from now. Disposing of the object
 * waits for the running updates, and starts no more.
 */
export class SharedCounts implements AsyncDisposable {
  readonly #db: Db;
  /** The windows with a running update. */
  readonly #telling = new Map<Window, Promise<void>>();
  #isOver = false;
  #cleanedAt = performance.now();

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Adds this node's count to the shared one as soon as it is a tenth of the rate, and takes over the count of all
   * nodes. This happens in the background; a later request repeats a failed update.
   */
  tell(key: string, window: Window, rate: Rate): void {
    const isKnownToAll = window.used - window.untold >= rate.requests;
    if (isKnownToAll || window.untold < rate.requests * share) return;
    if (this.#isOver || this.#telling.has(window) || this.#telling.size >= mostAtOnce) return;
    this.#telling.set(window, this.#exchange(key, window, rate));
  }

  /** Waits for the running updates. */
  async told(): Promise<void> {
    await Promise.all(this.#telling.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.told();
  }

  async #exchange(key: string, window: Window, rate: Rate): Promise<void> {
    const told = window.untold;
    window.untold = 0;
    try {
      this.#db.assertInTime();
      await this.#clean();
      const askedAt = performance.now();
      const { points, left } = await this.#add(key, told, window.endsAt - askedAt, rate);
      // The count never falls below this node's own: a crash of the server may have emptied the table.
      window.used = Math.max(points + window.untold, window.used);
      // The length may have changed meanwhile.
      window.endsAt = askedAt + Number(left) + (window.seconds - rate.seconds) * 1000;
    } catch {
      // Until the database answers again, each process counts alone.
      window.untold += told;
    }
    this.#telling.delete(window);
  }

  /**
   * Adds to a row, or restarts the row if its window is over. If the rate has another length now, the window ends by
   * that.
   * @param milliseconds the time until the end of this node's window
   * @returns the count of all nodes, and the milliseconds until the end of the window
   */
  async #add(key: string, points: number, milliseconds: number, { seconds }: Rate) {
    const end = sql`${now} + ${Math.max(Math.ceil(milliseconds), 0)}::bigint`;
    // A row from before lengths were stored has none.
    const expire = sql`(known.expire + (excluded.seconds - coalesce(known.seconds, excluded.seconds)) * 1000::bigint)`;
    const { rows } = await sql<{ points: number; left: string }>`
      insert into rate_limit as known (key, points, expire, seconds)
      values (${key}, ${points}, ${end}, ${seconds}::integer)
      on conflict (key) do update set
        points = case when ${expire} <= ${now} then 0 else known.points end + excluded.points,
        expire = case
          when ${expire} <= ${now} then excluded.expire
          else least(${expire}, ${now} + ${seconds * 1000}::bigint)
        end,
        seconds = excluded.seconds
      returning points, expire - ${now} as left`.execute(this.#db.kysely);
    return rows[0] as (typeof rows)[0];
  }

  async #clean(): Promise<void> {
    if (performance.now() - this.#cleanedAt < cleaningInterval) return;
    this.#cleanedAt = performance.now();
    // A row in the far future is from before somebody set the database's clock back.
    await sql`delete from rate_limit where expire < ${now} - ${cleaningInterval}::bigint
      or expire > ${now} + ${beyondAnyWindow}::bigint`.execute(this.#db.kysely);
  }
}
