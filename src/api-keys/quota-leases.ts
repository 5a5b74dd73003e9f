import { LRUCache } from 'lru-cache';
import type { Db } from '../database/db.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import type { KeyQuotas, QuotaLeft, QuotaQuestion, QuotaUse, StoredQuota } from '../operations/context.ts';
import { ExhaustedQuotas } from './exhausted-quotas.ts';
import { periodEnd } from './quota-periods.ts';
import { beginPeriod, giveUnitsBack, readQuota, takeUnits } from './quota-statements.ts';

/** A node leases as many units as it expects a key to use in this time, in milliseconds. */
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

/** The most keys with leases on one node. Beyond it, the node gives back the least recently used lease. */
const mostLeases = 50_000;

/** The most leases that one statement gives back, because others wait for its locks. */
const batchSize = 200;

/** The state of a key's quota at some moment after `askedAt` (by `performance.now()`). */
interface Sight {
  readonly askedAt: number;
  /** Null: the key had no quota. */
  readonly quota: StoredQuota | null;
}

/** This node's part of a key's quota. */
class Lease {
  readonly keyId: number;
  /** The generation of the quota to which the units belong. */
  generation = 0;
  /** The leased units that are not spent. */
  left = 0;
  usedAt = performance.now();
  /** The number of units after the last lease, and the time of that lease. */
  took = 0;
  tookAt = 0;
  /** The result of this node's last statement about the quota, and its time. */
  sight: Sight | undefined;
  changedAt = Number.NEGATIVE_INFINITY;
  /** The running statement; there is one at a time. If it fails, all its waiting callers fail. */
  busy: Promise<void> | undefined;
  /** The number of units that the waiting callers want. */
  wanted = 0;

  constructor(keyId: number) {
    this.keyId = keyId;
  }

  /** Whether the leased units are enough for a caller who has read this state of the quota. */
  covers({ generation, over }: StoredQuota, cost: number): boolean {
    return generation === this.generation && !over && cost <= this.left;
  }

  /** The state that a caller may rely on: the caller's own reading, unless a statement of this node ran meanwhile. */
  seenBy({ quota, askedAt }: Sight): StoredQuota | null | undefined {
    if (askedAt > this.changedAt) return quota;
    return this.sight && this.sight.askedAt >= askedAt ? this.sight.quota : undefined;
  }

  /**
   * The state that is closest to the lease of the units, for reporting the rest; the caller's own reading may be
   * older.
   */
  nearest({ quota, askedAt }: QuotaQuestion): StoredQuota {
    return askedAt > this.changedAt ? quota : (this.sight?.quota ?? quota);
  }

  /** Records the result of a statement; undefined: nobody knows what it changed. */
  note(sight: Sight | undefined): void {
    this.sight = sight;
    this.changedAt = performance.now();
  }

  /** Drops units of another generation, which are worth nothing. */
  follow({ generation }: StoredQuota): void {
    if (generation !== this.generation) this.left = 0;
    this.generation = generation;
  }

  /** The number of units to lease beyond those that callers want now: as many as the key will probably use. */
  expected(): number {
    const spent = this.took - this.left;
    const elapsed = Math.max(performance.now() - this.tookAt, 1);
    return Math.min(spent * growth, Math.ceil((spent * horizon) / elapsed));
  }
}

/** The remaining units of a quota for all nodes together. */
const potOf = ({ units, taken, over }: StoredQuota): number => (over ? units : units - taken);

/**
 * Counts the used units of quotas exactly, without a write for each use. A node leases some units by an atomic
 * UPDATE, and spends them in memory. From then on, `taken` in the database includes them, so all nodes together never
 * spend too many units. A crash loses leased units that are not spent. A node gives unused units back after a while,
 * and when this object is disposed of.
 */
export class QuotaLeases implements KeyQuotas, AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  readonly #leases: LRUCache<number, Lease>;
  /** The leases that left the cache with units that are not spent. */
  readonly #evicted = new Set<Lease>();
  readonly #exhausted: ExhaustedQuotas;
  readonly #timer = setInterval(() => this.#sweep(), sweepInterval).unref();
  #givingBack: Promise<void> | undefined;

  /**
   * @param onFailure receives the error of a failed return of units (the units stay with this node unless the outcome
   *   is unknown), or of a failed notice that a quota has run out
   * @param most the most keys with leases
   */
  constructor(db: Db, onFailure: (error: unknown) => void, most = mostLeases) {
    this.#db = db;
    this.#onFailure = onFailure;
    this.#exhausted = new ExhaustedQuotas(db, onFailure);
    this.#leases = new LRUCache({
      // With `max`, the cache would allocate all its memory at once, which takes ten milliseconds.
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
      // A caller counts as waiting until the moment in which it continues: the first one that continues leases for
      // all others.
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

  /** Starts a statement about a quota: it leases units, or reads the state. */
  #begin(lease: Lease, question: QuotaQuestion): Promise<void> {
    const seen = lease.seenBy(question);
    const statement = seen ? this.#take(lease, seen, question.cost) : this.#look(lease);
    lease.busy = statement.finally(() => {
      lease.busy = undefined;
    });
    return lease.busy;
  }

  /** Leases units, or finds out why there are none. */
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
    for (const lease of unused) if (!lease.busy && isEmpty(lease)) this.#leases.delete(lease.keyId);
    return [...this.#evicted, ...unused];
  }

  /**
   * Gives the units of a batch back. If that fails, this node has them again.
   * @returns whether the units went back
   */
  async #giveBatchBack(batch: readonly Lease[]): Promise<boolean> {
    const unspent = batch.map(({ keyId, generation, left }) => ({ keyId, generation, left }));
    const { promise: busy, resolve: end } = Promise.withResolvers<void>();
    for (const lease of batch) Object.assign(lease, { busy, left: 0 });
    let isGiven = true;
    try {
      // A single statement, but in a transaction: its error tells whether the outcome is unknown.
      await this.#db.transaction((db) => giveUnitsBack(db, unspent));
    } catch (error) {
      isGiven = false;
      this.#onFailure(error);
      // Giving units back twice would grant them twice.
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

/** Whether the lease has no units to give back. */
const isEmpty = ({ left }: Lease): boolean => left === 0;

/** Answers a question from memory, null if the key has no quota; undefined: only a statement can tell. */
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

/** Spends leased units. */
function use(lease: Lease, seen: StoredQuota, cost: number, now: Date): QuotaUse {
  lease.left -= cost;
  lease.usedAt = performance.now();
  return { ...leftOf(lease, seen, now), isGranted: true };
}

function leftOf(lease: Lease | undefined, seen: StoredQuota, now: Date): QuotaLeft {
  const held = lease && lease.generation === seen.generation && !seen.over ? lease.left : 0;
  return { limit: seen.units, remaining: potOf(seen) + held, refillsAt: periodEnd(seen.refill, now) };
}
