import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import type { KeyUsageNotes } from '../operation.ts';
import { ApiKey } from './api-key.entity.ts';

/** How often uses are written, in milliseconds. */
const interval = 30_000;

/** How many keys wait before they are written at once, and how many at the most: those of a database that is down. */
const crowd = 10_000;
const most = 100_000;

/** How many keys are written in one transaction: others wait for its locks, and on SQLite for all of it. */
const batchSize = 200;

const updateLastUsed = prepareQuery(ApiKey, (db, { id, at }: { id: number; at: Date }) =>
  db
    .updateTable('api_key')
    .set({ last_used_at: at })
    .where('id', '=', id)
    // Another node may have written a later use.
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)])),
);

/**
 * Gathers when API keys were last used, in memory, and writes it in batches: verifying a key writes nothing. A crash
 * loses what waits, up to half a minute of it. Disposing of it writes what waits.
 */
export class KeyUsage implements KeyUsageNotes, AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  /** Key → its last use, in milliseconds since 1970. */
  readonly #waiting = new Map<number, number>();
  readonly #timer = setInterval(() => void this.write(), interval).unref();
  #writing: Promise<void> | undefined;

  /** @param onFailure told why a batch could not be written; it is kept, and tried again with the next */
  constructor(db: Db, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
  }

  note(keyId: number, at: Date): void {
    const isNew = this.#keep(keyId, at.getTime());
    if (isNew && this.#waiting.size === crowd) void this.write();
  }

  /** Writes what waits; one call joins another that is at it. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.write();
  }

  #keep(keyId: number, at: number): boolean {
    const known = this.#waiting.get(keyId);
    if (known === undefined && this.#waiting.size >= most) return false;
    this.#waiting.set(keyId, Math.max(at, known ?? at));
    return known === undefined;
  }

  async #writeAll(): Promise<void> {
    // In one order on every node: two that write the same keys wait for each other once, and not in a circle.
    const uses = [...this.#waiting].sort(([one], [other]) => one - other);
    for (let start = 0; start < uses.length; start += batchSize) {
      if (!(await this.#writeBatch(uses.slice(start, start + batchSize)))) return;
      // Requests go between.
      await new Promise(setImmediate);
    }
  }

  /** Whether a batch was written; what was not waits again. */
  async #writeBatch(uses: readonly (readonly [id: number, at: number])[]): Promise<boolean> {
    for (const [id] of uses) this.#waiting.delete(id);
    try {
      await this.#db.transaction(async (db) => {
        for (const [id, at] of uses) await updateLastUsed(db, { id, at: new Date(at) });
      });
      return true;
    } catch (error) {
      for (const [id, at] of uses) this.#keep(id, at);
      this.#onFailure(error);
      return false;
    }
  }
}
