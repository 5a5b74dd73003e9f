import { LRUCache } from 'lru-cache';
import type { Db } from '../database/db.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import { serviceUnavailable } from '../errors.ts';
import type { QuotaLeft, QuotaRequest, Quotas, QuotaUse, StoredQuota } from '../operations/context.ts';
import { ExhaustedQuotas } from './exhausted-quotas.ts';
import { periodEnd } from './quota-periods.ts';
import type { QuotaStore } from './quota-store.ts';

/** A node leases as many units as it expects an owner to use in this time, in milliseconds. */
const horizon = 10_000;

/**
 * The greatest growth of a lease compared with the units spent of the last one, and the greatest part of the
 * remaining units.
 */
const growth = 8;
const share = 1 / 10;

/** The time without use after which a node gives units back, and the interval of the check, in milliseconds. */
const idle = 10_000;
const sweepInterval = 5000;

/**
 * The pause after units could not be given back, in milliseconds: as long as somebody tries, nobody can use them, and
 * while the database is away, there are no others.
 */
const rest = 60_000;

/** The most owners with leases on one node. Beyond it, the node gives back the least recently used lease. */
const mostLeases = 50_000;

/** The most leases that one statement gives back, because others wait for its locks. */
const batchSize = 200;

/** The state of a quota at some moment after `askedAt` (by `performance.now()`). */
interface QuotaReading {
  readonly askedAt: number;
  /** Null: there was no quota. */
  readonly quota: StoredQuota | null;
}

/** This node's part of a quota. */
class Lease {
  readonly ownerId: number;
  /** The generation of the quota to which the units belong. */
  generation = 0;
  /** The leased units that are not spent. */
  left = 0;
  usedAt = performance.now();
  /** The number of units after the last lease, and the time of that lease. */
  took = 0;
  tookAt = 0;
  /** The result of this node's last statement about the quota, and its time. */
  reading: QuotaReading | undefined;
  changedAt = Number.NEGATIVE_INFINITY;
  /** The running statement; there is one at a time. If it fails, all its waiting callers fail. */
  busy: Promise<void> | undefined;
  /** The number of units that the waiting callers want. */
  wanted = 0;

  constructor(ownerId: number) {
    this.ownerId = ownerId;
  }

  /** Whether the leased units are enough for a caller who has read this state of the quota. */
  covers({ generation, over, isMoved, ...quota }: StoredQuota, cost: number): boolean {
    return generation === this.generation && !over && !isMoved && cost <= this.left - overdrawn(quota);
  }

  /** The state that a caller may rely on: the caller's own reading, unless a statement of this node ran meanwhile. */
  seenBy({ quota, askedAt }: QuotaRequest, store: QuotaStore): StoredQuota | null | undefined {
    if (askedAt > this.changedAt) return quota;
    if (!this.reading || this.reading.askedAt < askedAt) return undefined;
    return this.reading.quota && store.seenBy(this.reading.quota, quota);
  }

  /**
   * The state that is closest to the lease of the units, for reporting the rest; the caller's own reading may be
   * older.
   */
  nearest({ quota, askedAt }: QuotaRequest, store: QuotaStore): StoredQuota {
    const newest = this.reading?.quota;
    return askedAt > this.changedAt || !newest ? quota : store.seenBy(newest, quota);
  }

  /** Records the result of a statement; undefined: nobody knows what it changed. */
  note(reading: QuotaReading | undefined): void {
    this.reading = reading;
    this.changedAt = performance.now();
  }

  /** Drops units of another generation, which are worth nothing. */
  follow({ generation }: StoredQuota): void {
    if (generation !== this.generation) this.left = 0;
    this.generation = generation;
  }

  /** The number of units to lease beyond those that callers want now: as many as will probably be used. */
  expected(): number {
    const spent = this.took - this.left;
    const elapsed = Math.max(performance.now() - this.tookAt, 1);
    return Math.min(spent * growth, Math.ceil((spent * horizon) / elapsed));
  }
}

/** The remaining units of a quota for all nodes together. */
const potOf = ({ units, taken, over }: StoredQuota): number => (over ? units : Math.max(units - taken, 0));

/** The units that are taken beyond the quota, since its limit was lowered. */
const overdrawn = ({ units, taken }: Pick<StoredQuota, 'units' | 'taken'>): number =>
  Math.max(taken - units, 0);

/**
 * The units that a node may still spend or lease.
 * @param held the leased units that it has not spent
 */
const restOf = (seen: StoredQuota, held: number): number =>
  potOf(seen) + (seen.over ? 0 : Math.max(held - overdrawn(seen), 0));

/**
 * Counts the used units of quotas exactly, without a write for each use. A node leases some units by an atomic
 * UPDATE, and spends them in memory. `taken` in the database then includes them, so all nodes together never
 * spend too many units. A crash loses leased units that are not spent. A node gives unused units back after a while,
 * and when this object is disposed of.
 */
export class QuotaLeases implements Quotas, AsyncDisposable {
  readonly #db: Db;
  readonly #store: QuotaStore;
  readonly #onFailure: (error: unknown) => void;
  readonly #leases: LRUCache<number, Lease>;
  /** The leases that left the cache with units that are not spent. */
  readonly #evicted = new Set<Lease>();
  readonly #exhausted: ExhaustedQuotas;
  readonly #timer = setInterval(() => this.#sweep(), sweepInterval).unref();
  #givingBack: Promise<void> | undefined;
  /** The time until which no units are given back by the clock, after a failure. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param store where the quotas are
   * @param onFailure receives the error of a failed return of units (the units stay with this node unless the outcome
   *   is unknown), or of a failed notice that a quota has run out
   * @param most the most owners with leases
   */
  constructor(db: Db, store: QuotaStore, onFailure: (error: unknown) => void, most = mostLeases) {
    this.#db = db;
    this.#store = store;
    this.#onFailure = onFailure;
    this.#exhausted = new ExhaustedQuotas(db, store, onFailure);
    this.#leases = new LRUCache({
      // With `max`, the cache would allocate all its memory at once, which takes ten milliseconds.
      maxSize: most,
      sizeCalculation: () => 1,
      dispose: (lease, _key, reason) => void (reason === 'evict' && this.#evict(lease)),
    });
  }

  spend(db: Db, request: QuotaRequest): QuotaUse | null | Promise<QuotaUse | null> {
    if (request.onlyLeased) return this.#useLeased(request);
    const use = this.#useAtOnce(request);
    return use === undefined ? this.#spendLater(db, request) : use;
  }

  /** Spends only units that this node has: nobody can tell what is left of the others. */
  #useLeased(request: QuotaRequest): QuotaUse | null {
    const use = useAtOnce(this.#leaseOf(request.ownerId), request, this.#store);
    if (use?.isGranted || use === null) return use;
    throw serviceUnavailable('database-away');
  }

  #useAtOnce(request: QuotaRequest): QuotaUse | null | undefined {
    const { ownerId, quota, cost } = request;
    const lease = this.#leaseOf(ownerId);
    const use = useAtOnce(lease, request, this.#store);
    // A use that is larger than a whole period says nothing about what is left.
    const isExhausted = use?.isGranted === false && (use.remaining === 0 || cost <= quota.units);
    if (isExhausted) this.#exhausted.note(ownerId, lease.generation);
    return use;
  }

  /** Spends units after one or more statements. */
  async #spendLater(db: Db, request: QuotaRequest): Promise<QuotaUse | null> {
    const { ownerId, quota, cost } = request;
    for (;;) {
      const lease = this.#leaseOf(ownerId);
      // A caller counts as waiting until the moment in which it continues: the first one that continues leases for
      // all others.
      const wanted = cost <= potOf(quota) ? cost : 0;
      lease.wanted += wanted;
      try {
        await (lease.busy ?? this.#begin(lease, request));
      } finally {
        lease.wanted -= wanted;
      }
      db.assertInTime();
      const use = this.#useAtOnce(request);
      if (use !== undefined) return use;
    }
  }

  refund(ownerId: number, { generation }: QuotaUse, cost: number): void {
    const lease = this.#leaseOf(ownerId);
    // Units of another period are worth nothing.
    if (lease.generation === generation) lease.left += cost;
  }

  peek({ ownerId, quota, now }: Pick<QuotaRequest, 'ownerId' | 'quota' | 'now'>): QuotaLeft {
    return leftOf(this.#leases.peek(ownerId), quota, now);
  }

  /** Gives back the leases that were not used since a time, by `performance.now()`; all leases by default. */
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

  /** Gives back idle leases, unless that is already running. */
  #sweep(): void {
    if (this.#givingBack !== undefined || performance.now() < this.#restsUntil) return;
    void this.giveBack(performance.now() - idle);
  }

  #leaseOf(ownerId: number): Lease {
    const lease = this.#leases.get(ownerId) ?? new Lease(ownerId);
    if (!this.#leases.has(ownerId)) this.#leases.set(ownerId, lease);
    return lease;
  }

  #evict(lease: Lease): void {
    if (lease.busy !== undefined) return void lease.busy.catch(() => {}).then(() => this.#evict(lease));
    if (isEmpty(lease) || this.#evicted.size >= this.#leases.maxSize) return;
    this.#evicted.add(lease);
    if (this.#evicted.size >= batchSize) this.#sweep();
  }

  /** Starts a statement about a quota: it leases units, or reads the state. */
  #begin(lease: Lease, request: QuotaRequest): Promise<void> {
    const seen = lease.seenBy(request, this.#store);
    const statement = seen ? this.#change(lease, seen, request.cost) : this.#read(lease, request.quota);
    lease.busy = statement.finally(() => {
      lease.busy = undefined;
    });
    return lease.busy;
  }

  /** Gives the period its end by the terms of now, or leases units. */
  async #change(lease: Lease, seen: StoredQuota, cost: number): Promise<void> {
    if (!seen.isMoved) return this.#take(lease, seen, cost);
    await this.#store.move?.(this.#db, { ...seen, ownerId: lease.ownerId, now: new Date() });
    await this.#read(lease, seen);
  }

  /** Leases units, or finds out why none are left. */
  async #take(lease: Lease, seen: StoredQuota, cost: number): Promise<void> {
    const { ownerId } = lease;
    const pot = potOf(seen);
    const wanted = Math.max(cost, lease.wanted) - (seen.over ? 0 : lease.left);
    const amount = Math.min(pot, Math.max(wanted, Math.min(lease.expected(), Math.floor(pot * share))));
    const now = new Date();
    const askedAt = performance.now();
    const take = { ...seen, ownerId, amount, now };
    try {
      const taken = await (seen.over ? this.#store.begin(this.#db, take) : this.#store.take(this.#db, take));
      if (taken === undefined) return await this.#read(lease, seen);
      const generation = seen.generation + (seen.over ? 1 : 0);
      lease.follow({ ...seen, generation });
      lease.left += amount;
      lease.took = lease.left;
      lease.tookAt = performance.now();
      lease.note({ askedAt, quota: { ...seen, generation, over: false, taken } });
    } catch (error) {
      lease.note(undefined);
      throw error;
    }
  }

  async #read(lease: Lease, known: StoredQuota): Promise<void> {
    const askedAt = performance.now();
    lease.note({ askedAt, quota: await this.#store.read(this.#db, lease.ownerId, known, new Date()) });
  }

  async #giveBackAll(since: number): Promise<void> {
    const all = [...new Set(this.#unusedSince(since))].sort((one, other) => one.ownerId - other.ownerId);
    for (let start = 0; start < all.length; start += batchSize) {
      // A caller may have used the units meanwhile.
      const batch = all.slice(start, start + batchSize).filter((lease) => !lease.busy && !isEmpty(lease));
      if (batch.length > 0 && !(await this.#giveBatchBack(batch))) return;
      // Other requests run between two batches.
      await new Promise(setImmediate);
    }
  }

  /** Finds the leases that were not used since a time, and forgets those without units. */
  #unusedSince(since: number): Lease[] {
    const unused: Lease[] = [];
    for (const lease of this.#leases.rvalues()) {
      if (!lease || lease.usedAt > since) break;
      unused.push(lease);
    }
    for (const lease of unused) if (!lease.busy && isEmpty(lease)) this.#leases.delete(lease.ownerId);
    return [...this.#evicted, ...unused];
  }

  /**
   * Gives the units of a batch back. If that fails, this node has them again.
   * @returns whether the units went back
   */
  async #giveBatchBack(batch: readonly Lease[]): Promise<boolean> {
    const unspent = batch.map(({ ownerId, generation, left }) => ({ ownerId, generation, left }));
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    for (const lease of batch) Object.assign(lease, { busy, left: 0 });
    let isGiven = true;
    try {
      // A single statement, but in a transaction: its error tells whether the outcome is unknown.
      await this.#db.transaction((db) => this.#store.giveBack(db, unspent));
    } catch (error) {
      isGiven = false;
      this.#restsUntil = performance.now() + rest;
      this.#onFailure(error);
      // Giving units back twice would grant them twice.
      if (!(error instanceof OutcomeUnknownError))
        for (const [index, lease] of batch.entries()) lease.left += unspent[index]?.left ?? 0;
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

/** Whether the lease has no units to give back. */
const isEmpty = ({ left }: Lease): boolean => left === 0;

/** Answers a request from memory, null if there is no quota any more; undefined: only a statement can tell. */
function useAtOnce(lease: Lease, request: QuotaRequest, store: QuotaStore): QuotaUse | null | undefined {
  const { quota, cost, now } = request;
  if (cost > 0 && lease.covers(quota, cost)) return use(lease, lease.nearest(request, store), cost, now);
  if (lease.busy !== undefined) return undefined;
  const seen = lease.seenBy(request, store);
  if (!seen) return seen;
  lease.follow(seen);
  if (cost === 0 || lease.covers(seen, cost)) return use(lease, seen, cost, now);
  const isExhausted = !seen.isMoved && restOf(seen, lease.left) < cost;
  if (!isExhausted) return undefined;
  return { ...leftOf(lease, seen, now), isGranted: false, generation: lease.generation };
}

/** Spends leased units. */
function use(lease: Lease, seen: StoredQuota, cost: number, now: Date): QuotaUse {
  lease.left -= cost;
  lease.usedAt = performance.now();
  return { ...leftOf(lease, seen, now), isGranted: true, generation: lease.generation };
}

function leftOf(lease: Lease | undefined, seen: StoredQuota, now: Date): QuotaLeft {
  const held = lease && lease.generation === seen.generation && !seen.over ? lease.left : 0;
  return { limit: seen.units, remaining: restOf(seen, held), refillsAt: periodEnd(seen.refill, now) };
}
