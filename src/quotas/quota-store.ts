import type { Db } from '../database/db.ts';
import type { StoredQuota } from '../operations/context.ts';

/** The units to take from a quota, if the quota is still as it was read. */
export interface Take extends StoredQuota {
  readonly ownerId: number;
  /** The number of units to take. */
  readonly amount: number;
  readonly now: Date;
}

/** The leased units of a node that are not spent. */
export interface Unspent {
  readonly ownerId: number;
  readonly generation: number;
  readonly left: number;
}

/** An owner's quota of which nothing is left. */
export interface Exhausted {
  readonly ownerId: number;
  readonly generation: number;
}

/** Where the quotas of one kind of owner are stored: of API keys, or of accounts. */
export interface QuotaStore {
  /**
   * Takes units from the current period.
   * @returns the units that are taken from it all in all; undefined: too few remain, or the period or the quota has
   *   changed
   */
  take(db: Db, take: Take): Promise<number | undefined>;
  /** Begins the next period and takes its first units, as {@link take}; of several calls, only one succeeds. */
  begin(db: Db, take: Take): Promise<number | undefined>;
  /** Lets the period go on with another end, where the quota is now refilled at other times. */
  move?(db: Db, quota: Omit<Take, 'amount'>): Promise<void>;
  /**
   * Reads the quota anew.
   * @param known what the owner's quota was when it was read before
   */
  read(db: Db, ownerId: number, known: StoredQuota, now: Date): Promise<StoredQuota | null>;
  /**
   * The state of a quota for one who has read it at another time.
   * @param state the newest state
   * @param own what that one has read
   */
  seenBy(state: StoredQuota, own: StoredQuota): StoredQuota;
  /** Gives units of many owners back. Units of another generation are dropped. */
  giveBack(db: Db, unspent: readonly Unspent[]): Promise<void>;
  /** Notes that a quota has run out, unless it was noted in this period already, and announces it to webhooks. */
  announce(db: Db, exhausted: Exhausted, now: Date): Promise<void>;
}
