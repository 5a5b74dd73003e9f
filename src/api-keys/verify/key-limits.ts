import type { Db } from '../../database/db.ts';
import { allOrNone } from '../../database/stored-values.ts';
import type { ApiKey, QuotaRefill } from '../../database/tables.ts';
import type {
  LimitsLeft,
  OperationContext,
  OperationServices,
  QuotaLeft,
  QuotaRequest,
  QuotaUse,
  Rate,
  StoredQuota,
} from '../../operations/context.ts';
import type { Entitlement } from '../../plans/entitlement-of.ts';
import {
  type Limits,
  type SharedColumns,
  seeLimits,
  seeRate,
  sharedLimitsOf,
} from '../../plans/shared-limits.ts';

/** The columns of a key's quota, read with its row; null if the key has none. */
export interface QuotaColumns {
  readonly quotaUnits: number | null;
  readonly quotaRefill: QuotaRefill | null;
  readonly quotaTaken: number | null;
  readonly quotaGeneration: number | null;
  readonly quotaRefillsAt: Date | null;
}

/** A key's own rate limit and quota, and what is used of its account's quota, as columns beside the key. */
export interface LimitColumns
  extends SharedColumns,
    Pick<ApiKey, 'id' | 'account' | 'rateLimit' | 'rateLimitWindow'>,
    Omit<QuotaColumns, 'quotaRefillsAt'> {
  /** Whether the period has ended; null: it never ends. */
  readonly quotaOver: boolean | null;
}

/** The rest of a key's own limits, and of those that it shares with the other keys of its account. */
export interface KeyLimits {
  readonly own: LimitsLeft;
  readonly shared: LimitsLeft;
}

const none: LimitsLeft = { rate: null, quota: null };

/** What stands in place of the limits of a key that is not found. */
export const noLimits: KeyLimits = { own: none, shared: none };

/** The limit that refuses a use. */
type LimitFailure = 'rate_limited' | 'account_rate_limited' | 'quota_exceeded' | 'account_quota_exceeded';

/** The part of an operation's context that limits use. */
type LimitContext = Pick<OperationContext, 'db' | 'services'>;

/** The time and the cost of a use, and whether the database is away. */
export type Use = Pick<QuotaRequest, 'askedAt' | 'now' | 'cost' | 'onlyLeased'>;

/** A key, and what the provider grants its account. */
interface Limited {
  readonly found: LimitColumns;
  readonly entitlement: Entitlement;
}

const limitsOf = (services: OperationServices, { found, entitlement }: Limited) => {
  const own: Limits = {
    ownerId: found.id,
    rates: services.keyRates,
    rate: rateOf(found),
    quotas: services.keyQuotas,
    quota: storedQuota(found),
  };
  return { own, shared: sharedLimitsOf(services, found.account, entitlement, found) };
};

/**
 * Uses the limits of a key and of its account. All of them must have room: where one of the key refuses, nothing of the
 * account is used, and the other way round.
 * @returns the reason of the refusal; null if the use is allowed
 */
export async function useLimits(
  { db, services }: LimitContext,
  limited: Limited,
  use: Use,
): Promise<KeyLimits & { readonly refusal: LimitFailure | null }> {
  const { own, shared } = limitsOf(services, limited);
  const full = fullRate(own, shared);
  if (full) return { own: seeLimits(own, use.now), shared: seeLimits(shared, use.now), refusal: full };
  const quota = await spend(db, own, use);
  // The key's rate limit comes before its quota, and counts what only that refuses.
  if (quota?.isGranted === false)
    return {
      own: { rate: useRate(own), quota },
      shared: seeLimits(shared, use.now),
      refusal: 'quota_exceeded',
    };
  const refund = () => quota && own.quotas.refund(own.ownerId, quota, use.cost);
  let sharedQuota: QuotaUse | null;
  try {
    sharedQuota = await spend(db, shared, use);
  } catch (error) {
    refund();
    throw error;
  }
  // While this waited for units, others may have used the rates.
  const refusal = sharedQuota?.isGranted === false ? 'account_quota_exceeded' : fullRate(own, shared);
  if (refusal) {
    refund();
    if (sharedQuota?.isGranted) shared.quotas.refund(shared.ownerId, sharedQuota, use.cost);
    return {
      own: { rate: seeRate(own), quota: refunded(quota, use) },
      shared: { rate: seeRate(shared), quota: refunded(sharedQuota, use) },
      refusal,
    };
  }
  return {
    own: { rate: useRate(own), quota },
    shared: { rate: useRate(shared), quota: sharedQuota },
    refusal: null,
  };
}

/** The rest of a quota after a refund: what was read before the use knows less of the quota than the use does. */
const refunded = (used: QuotaUse | null, { cost }: Use): QuotaLeft | null =>
  used?.isGranted ? { ...used, remaining: used.remaining + cost } : used;

/** Returns the rest of the limits without using them. */
export const seeKeyLimits = (
  { services }: Pick<LimitContext, 'services'>,
  limited: Limited,
  now: Date,
): KeyLimits => {
  const { own, shared } = limitsOf(services, limited);
  return { own: seeLimits(own, now), shared: seeLimits(shared, now) };
};

const useRate = ({ rates, ownerId, rate }: Limits) => rate && rates.use(ownerId, rate);

const isFull = (limits: Limits): boolean => seeRate(limits)?.remaining === 0;

/** The rate limit that has no room; null: both have some. */
const fullRate = (own: Limits, shared: Limits): LimitFailure | null => {
  if (isFull(own)) return 'rate_limited';
  return isFull(shared) ? 'account_rate_limited' : null;
};

const spend = (db: Db, { quotas, quota, ownerId }: Limits, use: Use) =>
  quota && quotas.spend(db, { ownerId, quota, ...use });

const rateOf = ({ rateLimit: requests, rateLimitWindow: seconds }: LimitColumns): Rate | null =>
  allOrNone('api_key, rate_limit', { requests, seconds });

/** A key's quota from its columns; null if the key has none. */
export const storedQuota = ({
  quotaUnits: units,
  quotaRefill: refill,
  quotaTaken: taken,
  quotaGeneration: generation,
  quotaOver,
}: Omit<QuotaColumns, 'quotaRefillsAt'> & Pick<LimitColumns, 'quotaOver'>): StoredQuota | null => {
  // An owner can remove the units alone.
  const quota = units === null ? null : allOrNone('api_key_quota', { units, refill, taken, generation });
  return quota && { ...quota, over: quotaOver === true };
};
