import { sql } from 'kysely';
import { cleanUp, cleanUpBatch } from '../../database/clean-up.ts';
import { tryLock } from '../../database/conditions.ts';
import { type Db, isForPostgres, prepareQuery } from '../../database/db.ts';
import { OutcomeUnknownError } from '../../database/failures.ts';
import { AccountUse, ApiKey, ApiKeySecret, ApiKeyUse } from '../../database/tables.ts';
import type { KeyUsageNotes, KeyUse } from '../../operations/context.ts';
import { Repeated } from '../../repeated.ts';

/** The interval between two writes, in milliseconds. */
const interval = 30_000;

/** The number of counts that causes an immediate write, and the most counts that wait while the database is down. */
const crowd = 10_000;
const most = 100_000;

/** The most counts of one statement: others wait for its locks, and on SQLite for the whole statement. */
const batchSize = 200;

const hour = 60 * 60_000;
const day = 24 * hour;

/**
 * The lock that lets one node at a time clean up: the first 64 bits of SHA-256 of `api_key_use`, an arbitrary number.
 */
const cleanUpLock = '8242551300629245825';

/** The number of verifications of a key in an hour with one outcome. Times are in milliseconds since 1970. */
interface Use {
  readonly keyId: number;
  readonly hour: number;
  readonly outcome: string;
  count: number;
  /** The time of the last verification. */
  at: number;
  /** The secrets that were used, and the time when each was last used. */
  readonly secrets: Map<number, number>;
}

/** Selects the counts of existing keys; the counts of deleted keys are dropped. */
const countsOf = (uses: readonly Use[]) => {
  const rows = uses.map(
    (use) =>
      sql`(cast(${use.keyId} as integer), cast(${new Date(use.hour)} as timestamptz), ${use.outcome}, cast(${use.count} as integer))`,
  );
  return sql`(values ${sql.join(rows)}) as used join api_key on api_key.id = used.column1`;
};

// Writes all counts in one statement, because a round trip for each would take seconds. All nodes use the same order:
// so one node may wait for another that writes the same counts, but never each for the other. On PostgreSQL, the lock
// drops the count of a key that another transaction deletes meanwhile: the statement would fail with all counts.
const addCounts = ({ kysely }: Db, uses: readonly Use[]) =>
  sql`
    insert into api_key_use (api_key_id, hour, outcome, count)
    select used.column1, used.column2, used.column3, used.column4 from ${countsOf(uses)}
    where true order by used.column1, used.column2, used.column3
    ${isForPostgres(kysely) ? sql`for key share of api_key` : sql``}
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

/** Keeps a later use that another node has written. */
const updateLastUsed = (
  { kysely }: Db,
  table: 'api_key' | 'api_key_secret',
  lastUses: ReadonlyMap<number, number>,
) => {
  const updated = sql.table(table);
  const rows = [...lastUses].map(
    ([id, at]) => sql`(cast(${id} as integer), cast(${new Date(at)} as timestamptz))`,
  );
  return sql`
    update ${updated} set last_used_at = used.column2 from (values ${sql.join(rows)}) as used
    where ${updated}.id = used.column1
    and (${updated}.last_used_at is null or ${updated}.last_used_at < used.column2)`.compile(kysely);
};

/** Deletes the oldest counts of a table, unless another node is doing it. */
const prepareDelete = (table: string, owner: string) =>
  prepareQuery(ApiKeyUse, (kysely, { until }: { until: Date }) => {
    const row = sql`${sql.ref(owner)}, hour, outcome`;
    // A separate query asks for the lock once, and not for each row.
    const query = sql<object>`
      delete from ${sql.table(table)} where (${row}) in (
        select ${row} from ${sql.table(table)} where hour < ${until} and (select ${tryLock(kysely, cleanUpLock)})
        order by hour limit ${cleanUpBatch})
      returning hour`;
    return { compile: () => query.compile(kysely) };
  });

const deleteKeyCounts = prepareDelete('api_key_use', 'api_key_id');
const deleteAccountCounts = prepareDelete('account_use', 'account_id');

/**
 * Deletes old counts.
 * @returns the number of deleted rows: of keys or of accounts, whichever is greater
 */
const deleteCounts = async (db: Db, until: Date): Promise<number> => {
  const ofKeys = await deleteKeyCounts(db, { until });
  const ofAccounts = await deleteAccountCounts(db, { until });
  return Math.max(ofKeys.length, ofAccounts.length);
};

/** Keeps the later of two times of an id. */
const noteLatest = (last: Map<number, number>, id: number, at: number): void =>
  void last.set(id, Math.max(at, last.get(id) ?? at));

/** The latest time of each id. */
const latest = (pairs: Iterable<readonly [id: number, at: number]>): ReadonlyMap<number, number> => {
  const last = new Map<number, number>();
  for (const [id, at] of pairs) noteLatest(last, id, at);
  return last;
};

/** Writes the times of the last successful verification of each key, and of each of its secrets. */
async function writeLastUses(db: Db, uses: readonly Use[]): Promise<void> {
  const valid = uses.filter(({ outcome }) => outcome === 'valid');
  if (valid.length === 0) return;
  const ofKeys = latest(valid.map(({ keyId, at }) => [keyId, at]));
  await db.run(updateLastUsed(db, 'api_key', ofKeys), ApiKey);
  const ofSecrets = latest(valid.flatMap(({ secrets }) => [...secrets]));
  await db.run(updateLastUsed(db, 'api_key_secret', ofSecrets), ApiKeySecret);
}

/**
 * Counts the verifications of API keys by hour and outcome, and notes their last use. It counts in memory and writes
 * in batches, so that a verification writes nothing. A crash loses the waiting counts: up to half a minute. Old
 * counts are deleted. Disposing of the object writes the waiting counts.
 */
export class KeyUsage implements KeyUsageNotes, AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  /** The waiting uses by key; mostly one for each key. */
  readonly #waiting = new Map<number, Use[]>();
  /** The number of waiting uses of all keys. */
  #size = 0;
  readonly #writing: Repeated;
  readonly #cleanUp: Repeated;

  /**
   * @param keptDays the number of days for which counts are stored
   * @param onFailure receives the error of a failed write or deletion; a later one tries again
   */
  constructor(db: Db, keptDays: number, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
    this.#writing = new Repeated(interval, () => this.#writeAll(), onFailure);
    const since = () => new Date(Date.now() - keptDays * day);
    this.#cleanUp = cleanUp(() => deleteCounts(db, since()), onFailure);
  }

  note({ keyId, secretId, at, outcome }: KeyUse): void {
    const time = at.getTime();
    const start = time - (time % hour);
    const known = this.#find(keyId, start, outcome);
    if (known) {
      known.count += 1;
      known.at = Math.max(known.at, time);
      noteLatest(known.secrets, secretId, time);
      return;
    }
    const secrets = new Map([[secretId, time]]);
    const isNew = this.#keep({ keyId, hour: start, outcome, count: 1, at: time, secrets });
    if (isNew && this.#size === crowd) void this.write();
  }

  /** Writes the waiting counts. Concurrent calls share one write. */
  write(): Promise<void> {
    return this.#writing.run();
  }

  /** Deletes the counts that are too old. The promise never rejects. */
  clean(): Promise<void> {
    return this.#cleanUp.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#writing, this.#cleanUp].map((part) => part[Symbol.asyncDispose]()));
    await this.write();
  }

  #find(keyId: number, start: number, outcome: string): Use | undefined {
    return this.#waiting.get(keyId)?.find((use) => use.hour === start && use.outcome === outcome);
  }

  #keep(use: Use): boolean {
    const known = this.#find(use.keyId, use.hour, use.outcome);
    if (known) {
      known.count += use.count;
      known.at = Math.max(known.at, use.at);
      for (const [id, at] of use.secrets) noteLatest(known.secrets, id, at);
      return false;
    }
    if (this.#size >= most) return false;
    const uses = this.#waiting.get(use.keyId);
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
      // Other requests run between two batches.
      await new Promise(setImmediate);
    }
  }

  /**
   * Writes a batch. If that fails, the batch waits again.
   * @returns whether the batch was written
   */
  async #writeBatch(uses: readonly Use[]): Promise<boolean> {
    for (const use of uses) this.#remove(use);
    try {
      await this.#db.transaction(async (db) => {
        await db.run(addCounts(db, uses), ApiKeyUse);
        await db.run(addAccountCounts(db, uses), AccountUse);
        await writeLastUses(db, uses);
      });
      return true;
    } catch (error) {
      this.#onFailure(error);
      // After a COMMIT without an answer, the counts may be stored. Counting them once or never is better than twice.
      if (!(error instanceof OutcomeUnknownError)) for (const use of uses) this.#keep(use);
      return false;
    }
  }
}
