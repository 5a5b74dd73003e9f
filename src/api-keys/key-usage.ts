import { sql } from 'kysely';
import { CleanUp, cleanUpBatch } from '../database/clean-up.ts';
import { tryLock } from '../database/conditions.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import { AccountUse, ApiKey, ApiKeyUse } from '../database/tables.ts';
import type { KeyUsageNotes } from '../operations/context.ts';

/** How often uses are written, in milliseconds. */
const interval = 30_000;

/** How many counts wait before they are written at once, and how many at the most: those of a database that is down. */
const crowd = 10_000;
const most = 100_000;

/** How many counts are written in one statement: others wait for its locks, and on SQLite for all of it. */
const batchSize = 200;

const hour = 60 * 60_000;
const day = 24 * hour;

/** By which one node at a time cleans up: the first 64 bits of SHA-256 of `api_key_use`, as good as any. */
const cleanUpLock = '8242551300629245825';

/** How often a key was verified in an hour with one outcome. Times are in milliseconds since 1970. */
interface Use {
  readonly keyId: number;
  readonly hour: number;
  readonly outcome: string;
  count: number;
  /** The last time. */
  at: number;
}

/** Counts of keys that are there: what is counted of one that is gone is dropped. */
const countsOf = (uses: readonly Use[]) => {
  const rows = uses.map(
    (use) =>
      sql`(cast(${use.keyId} as integer), cast(${new Date(use.hour)} as timestamptz), ${use.outcome}, cast(${use.count} as integer))`,
  );
  return sql`(values ${sql.join(rows)}) as used join api_key on api_key.id = used.column1`;
};

// One statement for all: a round trip for each would take seconds. In one order on every node: two that write the same
// counts wait for each other once, and not in a circle.
const addCounts = ({ kysely }: Db, uses: readonly Use[]) =>
  sql`
    insert into api_key_use (api_key_id, hour, outcome, count)
    select used.column1, used.column2, used.column3, used.column4 from ${countsOf(uses)}
    where true order by used.column1, used.column2, used.column3
    on conflict (api_key_id, hour, outcome) do update set count = api_key_use.count + excluded.count`.compile(
    kysely,
  );

const addAccountCounts = ({ kysely }: Db, uses: readonly Use[]) =>
  sql`
    insert into account_use (account_id, hour, outcome, count)
    select api_key.account_id, used.column2, used.column3, sum(used.column4) from ${countsOf(uses)}
    where true group by api_key.account_id, used.column2, used.column3
    order by api_key.account_id, used.column2, used.column3
    on conflict (account_id, hour, outcome) do update set count = account_use.count + excluded.count`.compile(
    kysely,
  );

/** Another node may have written a later use. */
const updateLastUsed = ({ kysely }: Db, lastUses: ReadonlyMap<number, number>) => {
  const rows = [...lastUses].map(
    ([id, at]) => sql`(cast(${id} as integer), cast(${new Date(at)} as timestamptz))`,
  );
  return sql`
    update api_key set last_used_at = used.column2 from (values ${sql.join(rows)}) as used
    where api_key.id = used.column1
    and (api_key.last_used_at is null or api_key.last_used_at < used.column2)`.compile(kysely);
};

/** Deletes the oldest counts of a table, where no other node is at it. */
const prepareDelete = (entity: typeof ApiKeyUse | typeof AccountUse, table: string, owner: string) =>
  prepareQuery(entity, (kysely, { until }: { until: Date }) => {
    const row = sql`${sql.ref(owner)}, hour, outcome`;
    // Within a query of its own the lock is asked for once, and not for each row.
    const query = sql<object>`
      delete from ${sql.table(table)} where (${row}) in (
        select ${row} from ${sql.table(table)} where hour < ${until} and (select ${tryLock(kysely, cleanUpLock)})
        order by hour limit ${cleanUpBatch})
      returning hour`;
    return { compile: () => query.compile(kysely) };
  });

const deleteKeyCounts = prepareDelete(ApiKeyUse, 'api_key_use', 'api_key_id');
const deleteAccountCounts = prepareDelete(AccountUse, 'account_use', 'account_id');

/** How many were deleted, of keys or of accounts: of which there were more. */
const deleteCounts = async (db: Db, until: Date): Promise<number> => {
  const ofKeys = await deleteKeyCounts(db, { until });
  const ofAccounts = await deleteAccountCounts(db, { until });
  return Math.max(ofKeys.length, ofAccounts.length);
};

/** When each key last let somebody in. */
const lastUsesOf = (uses: readonly Use[]): ReadonlyMap<number, number> => {
  const last = new Map<number, number>();
  for (const { keyId, outcome, at } of uses)
    if (outcome === 'valid') last.set(keyId, Math.max(at, last.get(keyId) ?? at));
  return last;
};

/**
 * Counts how often API keys are verified, by the hour and by what it came to, and when they were last used: in memory,
 * and writes it in batches, for verifying a key writes nothing. A crash loses what waits, up to half a minute of it.
 * What is older than it is kept for is deleted. Disposing of it writes what waits.
 */
export class KeyUsage implements KeyUsageNotes, AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  /** By key; the uses of one are few, mostly one. */
  readonly #waiting = new Map<number, Use[]>();
  /** How many uses wait, of all keys. */
  #size = 0;
  readonly #timer = setInterval(() => void this.write(), interval).unref();
  readonly #cleanUp: CleanUp;
  #writing: Promise<void> | undefined;

  /**
   * @param keptDays how many days counts are kept
   * @param onFailure told why something could not be written or deleted; it is tried again later
   */
  constructor(db: Db, keptDays: number, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
    const since = () => new Date(Date.now() - keptDays * day);
    this.#cleanUp = new CleanUp(() => deleteCounts(db, since()), onFailure);
  }

  note(keyId: number, at: Date, outcome: string): void {
    const time = at.getTime();
    const isNew = this.#keep({ keyId, hour: time - (time % hour), outcome, count: 1, at: time });
    if (isNew && this.#size === crowd) void this.write();
  }

  /** Writes what waits; one call joins another that is at it. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Deletes the counts that are too old. Never rejects. */
  clean(): Promise<void> {
    return this.#cleanUp.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#cleanUp[Symbol.asyncDispose]();
    await this.#writing;
    await this.write();
  }

  #keep(use: Use): boolean {
    const uses = this.#waiting.get(use.keyId);
    const known = uses?.find(({ hour, outcome }) => hour === use.hour && outcome === use.outcome);
    if (known) {
      known.count += use.count;
      known.at = Math.max(known.at, use.at);
      return false;
    }
    if (this.#size >= most) return false;
    if (uses) uses.push(use);
    else this.#waiting.set(use.keyId, [use]);
    this.#size += 1;
    return true;
  }

  #remove(use: Use): void {
    const others = this.#waiting.get(use.keyId)?.filter((other) => other !== use) ?? [];
    if (others.length > 0) this.#waiting.set(use.keyId, others);
    else this.#waiting.delete(use.keyId);
    this.#size -= 1;
  }

  async #writeAll(): Promise<void> {
    const uses = [...this.#waiting.values()].flat().sort((one, other) => one.keyId - other.keyId);
    for (let start = 0; start < uses.length; start += batchSize) {
      if (!(await this.#writeBatch(uses.slice(start, start + batchSize)))) return;
      // Requests go between.
      await new Promise(setImmediate);
    }
  }

  /** Whether a batch was written; what was not waits again. */
  async #writeBatch(uses: readonly Use[]): Promise<boolean> {
    for (const use of uses) this.#remove(use);
    try {
      await this.#db.transaction(async (db) => {
        await db.run(addCounts(db, uses), ApiKeyUse);
        await db.run(addAccountCounts(db, uses), AccountUse);
        const lastUses = lastUsesOf(uses);
        if (lastUses.size > 0) await db.run(updateLastUsed(db, lastUses), ApiKey);
      });
      return true;
    } catch (error) {
      this.#onFailure(error);
      // Where COMMIT was not answered they may be stored: better that they count once or never than twice.
      if (!(error instanceof OutcomeUnknownError)) for (const use of uses) this.#keep(use);
      return false;
    }
  }
}
