import { sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { KeyUsageNotes } from '../operations/context.ts';

/** How often uses are written, in milliseconds. */
const interval = 30_000;

/** How many keys wait before they are written at once, and how many at the most: those of a database that is down. */
const crowd = 10_000;
const most = 100_000;

/** How many keys are written in one statement: others wait for its locks, and on SQLite for all of it. */
const batchSize = 200;

type Use = readonly [id: number, at: number];

/** One statement for all: a round trip for each would take seconds. Another node may have written a later use. */
const updateLastUsed = ({ kysely }: Db, uses: readonly Use[]) => {
  const rows = uses.map(([id, at]) => sql`(cast(${id} as integer), cast(${new Date(at)} as timestamptz))`);
  return sql`
    update api_key set last_used_at = used.column2 from (values ${sql.join(rows)}) as used
    where api_key.id = used.column1
    and (api_key.last_used_at is null or api_key.last_used_at < used.column2)`.compile(kysely);
};

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

  note(keyId: number, at: Date, outcome: string): void {
    if (outcome !== 'valid') return;
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
  async #writeBatch(uses: readonly Use[]): Promise<boolean> {
    for (const [id] of uses) this.#waiting.delete(id);
    try {
      await this.#db.run(updateLastUsed(this.#db, uses), ApiKey);
      return true;
    } catch (error) {
      for (const [id, at] of uses) this.#keep(id, at);
      this.#onFailure(error);
      return false;
    }
  }
}
