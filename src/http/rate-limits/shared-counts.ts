import { sql } from 'kysely';
import type { Rate } from '../../config/config.ts';
import type { Db } from '../../database/db.ts';

/** What was used of a rate, from the first request on until it is reset. */
export interface Window {
  used: number;
  /** How much of it other nodes do not know of yet. */
  untold: number;
  /** In milliseconds since 1970. */
  resetsAt: number;
}

/** After how much of a rate the others are told. */
const share = 1 / 10;

/** How many statements of this process are under way at the most: whoever has real work needs connections too. */
const mostAtOnce = 2;

/** How often rows are deleted, and how long they must be over, in milliseconds. */
const cleaningInterval = 5 * 60_000;

/**
 * What nodes count together, in the database that they share: its table `rate_limit`. Disposing of it waits for what is
 * being told, and tells nothing more.
 */
export class SharedCounts implements AsyncDisposable {
  readonly #db: Db;
  /** Of which the others are being told. */
  readonly #telling = new Map<Window, Promise<void>>();
  #isOver = false;
  #cleanedAt = Date.now();

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Tells the others what was counted here, once that is a tenth of the rate, and takes over what all have counted.
   * It happens in the background; what could not be told is told with a later request.
   */
  tell(key: string, window: Window, { requests }: Rate): void {
    const isKnownToAll = window.used - window.untold >= requests;
    if (isKnownToAll || window.untold < requests * share) return;
    if (this.#isOver || this.#telling.has(window) || this.#telling.size >= mostAtOnce) return;
    this.#telling.set(window, this.#exchange(key, window));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#telling.values());
  }

  async #exchange(key: string, window: Window): Promise<void> {
    const told = window.untold;
    window.untold = 0;
    try {
      await this.#clean();
      const { points, expire } = await this.#add(key, told, window.resetsAt);
      // No less than what was counted here: a crash of the server may have emptied the table.
      window.used = Math.max(points + window.untold, window.used);
      window.resetsAt = Number(expire);
    } catch {
      // Until the database answers again, each process counts for itself.
      window.untold += told;
    }
    this.#telling.delete(window);
  }

  /** Adds to a row, or begins it anew where it is over. */
  async #add(key: string, points: number, resetsAt: number) {
    const { rows } = await sql<{ points: number; expire: string }>`
      insert into rate_limit as known (key, points, expire) values (${key}, ${points}, ${resetsAt})
      on conflict (key) do update set
        points = case when known.expire <= ${Date.now()} then 0 else known.points end + excluded.points,
        expire = case when known.expire <= ${Date.now()} then excluded.expire else known.expire end
      returning points, expire`.execute(this.#db.kysely);
    return rows[0] as (typeof rows)[0];
  }

  async #clean(): Promise<void> {
    const now = Date.now();
    if (now - this.#cleanedAt < cleaningInterval) return;
    this.#cleanedAt = now;
    await sql`delete from rate_limit where expire < ${now - cleaningInterval}`.execute(this.#db.kysely);
  }
}
