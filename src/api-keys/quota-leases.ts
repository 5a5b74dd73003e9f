import { LRUCache } from 'lru-cache';
import type { Db } from '../database/db.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import type { KeyQuotas, QuotaLeft, QuotaQuestion, QuotaUse, StoredQuota } from '../operations/context.ts';
import { ExhaustedQuotas } from './exhausted-quotas.ts';
import { periodEnd } from './quota-periods.ts';
import { beginPeriod, giveUnitsBack, readQuota, takeUnits } from './quota-statements.ts';

/** A node takes as many units as a key is expected to use in this time, in milliseconds. */
const horizon = 10_000;

/** How many times more that is than it has spent of the last, and which part of what is left, at the most. */
const growth = 8;
const share = 1 / 10;

/** After how long without use a node gives back what it has left, and how often it looks for that, in milliseconds. */
const idle = 10_000;
const sweepInterval = 5000;

/** How many keys a node has leases of at the most. Of more, that goes back which was not used for longest. */
const mostLeases = 50_000;

/** How many leases are given back in one statement: others wait for its locks. */
const batchSize = 200;

/** The quota of a key as it was at some time after it was asked for, on the clock of `performance.now`. */
interface Sight {
  readonly askedAt: number;
  /** Null: there was none. */
  readonly quota: StoredQuota | null;
}

/** What this node has of a key's quota. */
class Lease {
  readonly keyId: number;
  /** Of which generation of the quota its units are. */
  generation = 0;
  /** Units that are taken and not spent. */
  left = 0;
  usedAt = performance.now();
  /** How many units there were when the last were taken, and when that was. */
  took = 0;
  tookAt = 0;
  /** What this node's last statement about the quota has brought to light, and when. */
  sight: Sight | undefined;
  changedAt = Number.NEGATIVE_INFINITY;
  /** A statement that is under way: one at a time. Where it fails, whoever waits for it fails. */
  busy: Promise<void> | undefined;
  /** How many units those want that wait for it. */
  wanted = 0;

  constructor(keyId: number) {
    this.keyId = keyId;
  }

  /** Whether its units do for somebody who has seen the quota like this. */
  covers({ generation, over }: StoredQuota, cost: number): boolean {
    return generation === this.generation && !over && cost <= this.left;
  }

  /** What somebody may go by: what they have read, unless a statement of this node was under way meanwhile. */
  seenBy({ quota, askedAt }: Sight): StoredQuota | null | undefined {
    if (askedAt > this.changedAt) return quota;
    return this.sight && this.sight.askedAt >= askedAt ? this.sight.quota : undefined;
  }

  /** What is nearest to what its units were taken of, for telling what is left: own reading may lie before that. */
  nearest({ quota, askedAt }: QuotaQuestion): StoredQuota {
    return askedAt > this.changedAt ? quota : (this.sight?.quota ?? quota);
  }

  /** Notes what a statement has brought to light; undefined: nobody knows what it has changed. */
  note(sight: Sight | undefined): void {
    this.sight = sight;
    this.changedAt = performance.now();
  }

  /** Its units are of this generation, or else worth nothing. */
  follow({ generation }: StoredQuota): void {
    if (generation !== this.generation) this.left = 0;
    this.generation = generation;
  }

  /** How many units to take beside those that are wanted now: as many as the key is expected to use. */
  expected(): number {
    const spent = this.took - this.left;
    const elapsed = Math.max(performance.now() - this.tookAt, 1);
    return Math.min(spent * growth, Math.ceil((spent * horizon) / elapsed));
  }
}

/** What is left of a quota for all nodes together. */
const potOf = ({ units, taken, over }: StoredQuota): number => (over ? units : units - taken);

/**
 * Counts what keys use of their quotas, exactly and without a write for each use: a node leases some units by an atomic
 * UPDATE, and spends them in memory. `taken` in the database counts them from then on, so all nodes together never
 * spend more than there are; a crash loses what was leased and not spent. What is left over goes back after a while
 * without use, and when this is disposed of.
 */
export class QuotaLeases implements KeyQuotas, AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  readonly #leases: LRUCache<number, Lease>;
  /** Those that made room for others and have units left. */
  readonly #evicted = new Set<Lease>();
  readonly #exhausted: ExhaustedQuotas;
  readonly #timer = setInterval(() => this.#sweep(), sweepInterval).unref();
  #givingBack: Promise<void> | undefined;

  /**
   * @param onFailure told why units could not be given back, which are kept unless nobody knows whether they were, or why
   *   it could not be told that a quota has run out
   * @param most how many keys it has leases of at the most
   */
  constructor(db: Db, onFailure: (error: unknown) => void, most = mostLeases) {
    this.#db = db;
    this.#onFailure = onFailure;
    this.#exhausted = new ExhaustedQuotas(db, onFailure);
    this.#leases = new LRUCache({
      // By `max`, room for all of them would be made at once, which takes ten milliseconds.
      maxSize: most,
      sizeCalculation: () => 1,
      dispose: (lease, _key, reason) => void (reason === 'evict' && this.#evict(lease)),
    });
  }

  async spend(db: Db, question: QuotaQuestion): Promise<QuotaUse | null> {
    const { keyId, quota, cost } = question;
    for (;;) {
      const lease = this.#leaseOf(keyId);
      const use = useAtOnce(lease, question);
      if (use?.isGranted === false) this.#exhausted.note(keyId, lease.generation);
      if (use !== undefined) return use;
      // Counted until the very moment in which it goes on: whoever goes on first takes for all others.
      const wanted = cost <= potOf(quota) ? cost : 0;
      lease.wanted += wanted;
      try {
        await (lease.busy ?? this.#begin(lease, question));
      } finally {
        lease.wanted -= wanted;
      }
      db.assertInTime();
    }
  }

  look({ keyId, quota, now }: Pick<QuotaQuestion, 'keyId' | 'quota' | 'now'>): QuotaLeft {
    return leftOf(this.#leases.peek(keyId), quota, now);
  }

  /** Gives back what was not used since then, on the clock of `performance.now`: all, unless told otherwise. */
  async giveBack(since = Number.POSITIVE_INFINITY): Promise<void> {
    while (this.#givingBack !== undefined) await this.#givingBack;
    this.#givingBack = this.#giveBackAll(since).finally(() => {
      this.#givingBack = undefined;
    });
    await this.#givingBack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#exhausted[Symbol.asyncDispose]();
    await Promise.allSettled([...this.#leases.values(), ...this.#evicted].map(({ busy }) => busy));
    await this.giveBack();
  }

  /** Gives back what is idle, unless that is under way. */
  #sweep(): void {
    if (this.#givingBack === undefined) void this.giveBack(performance.now() - idle);
  }

  #leaseOf(keyId: number): Lease {
    const lease = this.#leases.get(keyId) ?? new Lease(keyId);
    if (!this.#leases.has(keyId)) this.#leases.set(keyId, lease);
    return lease;
  }

  #evict(lease: Lease): void {
    if (lease.busy !== undefined) return void lease.busy.catch(() => {}).then(() => this.#evict(lease));
    if (isEmpty(lease) || this.#evicted.size >= this.#leases.maxSize) return;
    this.#evicted.add(lease);
    if (this.#evicted.size >= batchSize) this.#sweep();
  }

  /** Begins a statement about a quota: one that takes units, or finds out what there is. */
  #begin(lease: Lease, question: QuotaQuestion): Promise<void> {
    const seen = lease.seenBy(question);
    const statement = seen ? this.#take(lease, seen, question.cost) : this.#look(lease);
    lease.busy = statement.finally(() => {
      lease.busy = undefined;
    });
    return lease.busy;
  }

  /** Takes units, or finds out why there are none. */
  async #take(lease: Lease, seen: StoredQuota, cost: number): Promise<void> {
    const { keyId } = lease;
    const pot = potOf(seen);
    const wanted = Math.max(cost, lease.wanted) - (seen.over ? 0 : lease.left);
    const units = Math.min(pot, Math.max(wanted, Math.min(lease.expected(), Math.floor(pot * share))));
    const now = new Date();
    const askedAt = performance.now();
    const take = { keyId, generation: seen.generation, units, now };
    try {
      const [row] = seen.over ? await beginPeriod(this.#db, take) : await takeUnits(this.#db, take);
      if (!row) return await this.#look(lease);
      const generation = seen.generation + (seen.over ? 1 : 0);
      lease.follow({ ...seen, generation });
      lease.left += units;
      lease.took = lease.left;
      lease.tookAt = performance.now();
      lease.note({ askedAt, quota: { ...seen, generation, over: false, taken: row.taken } });
    } catch (error) {
      lease.note(undefined);
      throw error;
    }
  }

  async #look(lease: Lease): Promise<void> {
    const askedAt = performance.now();
    const [row] = await readQuota(this.#db, { keyId: lease.keyId, now: new Date() });
    lease.note({ askedAt, quota: row ? { ...row, over: Boolean(row.over) } : null });
  }

  async #giveBackAll(since: number): Promise<void> {
    const all = [...new Set(this.#unusedSince(since))].sort((one, other) => one.keyId - other.keyId);
    for (let start = 0; start < all.length; start += batchSize) {
      // Somebody may have used them meanwhile.
      const batch = all.slice(start, start + batchSize).filter((lease) => !lease.busy && !isEmpty(lease));
      if (batch.length > 0 && !(await this.#giveBatchBack(batch))) return;
      // Requests go between.
      await new Promise(setImmediate);
    }
  }

  /** Those that were not used since then; of which nothing is left, they are forgotten. */
  #unusedSince(since: number): Lease[] {
    const unused: Lease[] = [];
    for (const lease of this.#leases.rvalues()) {
      if (!lease || lease.usedAt > since) break;
      unused.push(lease);
    }
    for (const lease of unused) if (!lease.busy && isEmpty(lease)) this.#leases.delete(lease.keyId);
    return [...this.#evicted, ...unused];
  }

  /** Whether units went back; those that did not are there again. */
  async #giveBatchBack(batch: readonly Lease[]): Promise<boolean> {
    const unspent = batch.map(({ keyId, generation, left }) => ({ keyId, generation, left }));
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    for (const lease of batch) Object.assign(lease, { busy, left: 0 });
    let isGiven = true;
    try {
      // A transaction, though it is one statement: it tells whether nobody knows that it was carried out.
      await this.#db.transaction((db) => giveUnitsBack(db, unspent));
    } catch (error) {
      isGiven = false;
      this.#onFailure(error);
      // To give them back twice would be to grant them twice.
      if (!(error instanceof OutcomeUnknownError))
        for (const [index, lease] of batch.entries()) lease.left = unspent[index]?.left ?? 0;
    }
    for (const lease of batch) {
      lease.busy = undefined;
      lease.note(undefined);
      if (isEmpty(lease)) this.#evicted.delete(lease);
    }
    end();
    return isGiven;
  }
}

/** Whether there is nothing to give back. */
const isEmpty = ({ left }: Lease): boolean => left === 0;

/** What comes of a question as far as it is known here, null where there is no quota; undefined: a statement must tell. */
function useAtOnce(lease: Lease, question: QuotaQuestion): QuotaUse | null | undefined {
  const { quota, cost, now } = question;
  if (cost > 0 && lease.covers(quota, cost)) return use(lease, lease.nearest(question), cost, now);
  if (lease.busy !== undefined) return undefined;
  const seen = lease.seenBy(question);
  if (!seen) return seen;
  lease.follow(seen);
  if (cost === 0 || lease.covers(seen, cost)) return use(lease, seen, cost, now);
  const isExhausted = potOf(seen) + (seen.over ? 0 : lease.left) < cost;
  return isExhausted ? { ...leftOf(lease, seen, now), isGranted: false } : undefined;
}

/** Spends units that are there. */
function use(lease: Lease, seen: StoredQuota, cost: number, now: Date): QuotaUse {
  lease.left -= cost;
  lease.usedAt = performance.now();
  return { ...leftOf(lease, seen, now), isGranted: true };
}

function leftOf(lease: Lease | undefined, seen: StoredQuota, now: Date): QuotaLeft {
  const held = lease && lease.generation === seen.generation && !seen.over ? lease.left : 0;
  return { limit: seen.units, remaining: potOf(seen) + held, refillsAt: periodEnd(seen.refill, now) };
}
