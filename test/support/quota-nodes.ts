import type { Database } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { OutcomeUnknownError } from '../../src/database/failures.ts';
import type { QuotaUse, StoredQuota } from '../../src/operations/context.ts';
import { keyQuotas } from '../../src/quotas/key-quotas.ts';
import { QuotaLeases } from '../../src/quotas/quota-leases.ts';

/** How a statement fails: it is not carried out, or it is and nobody learns of it. */
export type Failure = 'before' | 'after';

/** A database that does with the next statements of a node what it is told. */
class FailingDb extends Db {
  readonly failures: (Failure | undefined)[] = [];

  override run(...query: Parameters<Db['run']>): Promise<object[]> {
    return this.#fail(() => super.run(...query));
  }

  override transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#fail(() => super.transaction(run));
  }

  async #fail<Result>(run: () => Promise<Result>): Promise<Result> {
    const failure = this.failures.shift();
    if (failure === 'before') throw new Error('the database is down');
    const result = await run();
    if (failure === 'after') throw new OutcomeUnknownError('the connection has ended');
    return result;
  }
}

/** A node that counts what is used of quotas. */
export class QuotaNode {
  readonly #db: Db;
  readonly #failing: FailingDb;
  leases: QuotaLeases;

  /** @param most how many keys it has leases of at the most */
  constructor(database: Database, most?: number) {
    this.#db = new Db(database.em);
    this.#failing = new FailingDb(database.em);
    this.leases = new QuotaLeases(this.#failing, keyQuotas, () => {}, most);
  }

  /** Lets its next statements fail. */
  fail(failures: readonly (Failure | undefined)[]): void {
    this.#failing.failures.splice(0, Number.POSITIVE_INFINITY, ...failures);
  }

  async read(keyId: number): Promise<StoredQuota | undefined> {
    const known = { units: 0, refill: 'never', taken: 0, generation: 0, over: false } as const;
    return (await keyQuotas.read(this.#db, keyId, known, new Date())) ?? undefined;
  }

  /** Asks as a verification does, which takes some turns of the event loop between; null: there is no quota. */
  async spend(keyId: number, cost: number, turns = 0): Promise<QuotaUse | null> {
    const askedAt = performance.now();
    const quota = await this.read(keyId);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    if (!quota) return null;
    return this.leases.spend(this.#db, { ownerId: keyId, quota, askedAt, now: new Date(), cost });
  }

  /** How many units it has of a quota that are not spent. */
  held(keyId: number, quota: StoredQuota): number {
    const drained = { ...quota, taken: quota.units, over: false };
    return this.leases.peek({ ownerId: keyId, quota: drained, now: new Date() }).remaining;
  }

  /** It is gone, with all that it had. */
  crash(): void {
    this.leases = new QuotaLeases(this.#failing, keyQuotas, () => {});
  }

  async stop(): Promise<void> {
    await this.leases[Symbol.asyncDispose]();
    this.crash();
  }
}
