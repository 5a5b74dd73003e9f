import type { AccountId, QuotaRefill } from '../../database/tables.ts';
import type {
  OperationContext,
  QuotaLeft,
  QuotaRequest,
  Quotas,
  QuotaUse,
  Rate,
  Rates,
  RateUse,
  StoredQuota,
} from '../../operations/context.ts';
import type { Entitlement } from '../../plans/entitlement-of.ts';
import { type SharedColumns, sharedLimitsOf } from '../../plans/shared-limits.ts';

/** A key's own rate limit and quota, and what is used of its account's quota, as columns beside the key. */
export interface LimitColumns extends SharedColumns {
  readonly id: number;
  readonly account: AccountId;
  readonly rateLimit: number | null;
  readonly rateLimitWindow: number | null;
  readonly quotaUnits: number | null;
  readonly quotaRefill: QuotaRefill | null;
  readonly quotaTaken: number | null;
  readonly quotaGeneration: number | null;
  /** Whether the period has ended; SQLite returns a number. */
  readonly quotaOver: unknown;
}

/** The rest of a rate limit; null: there is none. */
type RateLeft = Omit<RateUse, 'isRefused'> | null;

/** The rest of a key's own limits, and of those that it shares with the other keys of its account. */
export interface KeyLimits {
  readonly rate: RateLeft;
  readonly quota: QuotaLeft | null;
  readonly sharedRate: RateLeft;
  readonly sharedQuota: QuotaLeft | null;
}

/** What stands in place of the limits of a key that is not found. */
export const noLimits: KeyLimits = { rate: null, quota: null, sharedRate: null, sharedQuota: null };

/** The limit that refuses a use. */
type LimitFailure = 'rate_limited' | 'account_rate_limited' | 'quota_exceeded' | 'account_quota_exceeded';

/** The part of an operation's context that limits use. */
export type LimitContext = Pick<OperationContext, 'db' | 'services'>;

/** The time and the cost of a use. */
export type Use = Pick<QuotaRequest, 'askedAt' | 'now' | 'cost'>;

/** A key, and what the provider grants its account. */
interface Limited {
  readonly key: LimitColumns;
  readonly entitlement: Entitlement;
}

/** The limits of one owner: of the key, or of its account. */
interface Limits {
  readonly ownerId: number;
  readonly rates: Rates;
  readonly rate: Rate | null;
  readonly quotas: Quotas;
  readonly quota: StoredQuota | null;
}

const limitsOf = (
  { services: { keyRates, keyQuotas, accountRates, accountQuotas } }: Pick<LimitContext, 'services'>,
  { key, entitlement }: Limited,
): { readonly own: Limits; readonly shared: Limits } => ({
  own: { ownerId: key.id, rates: keyRates, rate: rateOf(key), quotas: keyQuotas, quota: storedQuota(key) },
  shared: {
    ownerId: key.account,
    rates: accountRates,
    quotas: accountQuotas,
    ...sharedLimitsOf(entitlement, key),
  },
});

/**
 * Uses the limits of a key and of its account. All of them must have room: where one of the key refuses, nothing of the
 * account is used, and the other way round.
 * @returns the reason of the refusal; null if the use is allowed
 */
export async function useLimits(
  context: LimitContext,
  limited: Limited,
  use: Use,
): Promise<KeyLimits & { readonly refusal: LimitFailure | null }> {
  const { own, shared } = limitsOf(context, limited);
  const peek = () => seeLimits(context, limited, use);
  const full = fullRate(own, shared);
  if (full) return { ...peek(), refusal: full };
  const quota = await spend(context, own, use);
  // The key's rate limit comes before its quota, and counts what only that refuses.
  if (quota?.isGranted === false) return { ...peek(), rate: useRate(own), quota, refusal: 'quota_exceeded' };
  const refund = () => quota && own.quotas.refund(own.ownerId, quota, use.cost);
  let sharedQuota: QuotaUse | null;
  try {
    sharedQuota = await spend(context, shared, use);
  } catch (error) {
    refund();
    throw error;
  }
  // While this waited for units, others may have used the rates.
  const refusal = sharedQuota?.isGranted === false ? 'account_quota_exceeded' : fullRate(own, shared);
  if (refusal) {
    refund();
    if (sharedQuota?.isGranted) shared.quotas.refund(shared.ownerId, sharedQuota, use.cost);
    return { ...restored(peek(), { quota, sharedQuota }, use.cost), refusal };
  }
  return { rate: useRate(own), quota, sharedRate: useRate(shared), sharedQuota, refusal: null };
}

/** The rest of the limits after a refund: what was read before the use knows less of the quotas than the use does. */
const restored = (
  limits: KeyLimits,
  used: { readonly quota: QuotaUse | null; readonly sharedQuota: QuotaUse | null },
  cost: number,
): KeyLimits => ({
  ...limits,
  quota: used.quota && { ...used.quota, remaining: used.quota.remaining + cost },
  sharedQuota: used.sharedQuota?.isGranted
    ? { ...used.sharedQuota, remaining: used.sharedQuota.remaining + cost }
    : used.sharedQuota,
});

/** Returns the rest of the limits without using them. */
export const seeLimits = (
  context: Pick<LimitContext, 'services'>,
  limited: Limited,
  { now }: Pick<Use, 'now'>,
): KeyLimits => {
  const { own, shared } = limitsOf(context, limited);
  return {
    rate: peekRate(own),
    quota: peekQuota(own, now),
    sharedRate: peekRate(shared),
    sharedQuota: peekQuota(shared, now),
  };
};

const useRate = ({ rates, ownerId, rate }: Limits): RateLeft => rate && rates.use(ownerId, rate);

const peekRate = ({ rates, ownerId, rate }: Limits): RateLeft => rate && rates.peek(ownerId, rate);

const isFull = (limits: Limits): boolean => peekRate(limits)?.remaining === 0;

/** The rate limit that has no room; null: both have some. */
const fullRate = (own: Limits, shared: Limits): LimitFailure | null => {
  if (isFull(own)) return 'rate_limited';
  return isFull(shared) ? 'account_rate_limited' : null;
};

const spend = ({ db }: LimitContext, { quotas, quota, ownerId }: Limits, use: Use) =>
  quota && quotas.spend(db, { ownerId, quota, ...use });

const peekQuota = ({ quotas, quota, ownerId }: Limits, now: Date): QuotaLeft | null =>
  quota && quotas.peek({ ownerId, quota, now });

const rateOf = ({ rateLimit, rateLimitWindow }: LimitColumns): Rate | null =>
  rateLimit === null || rateLimitWindow === null ? null : { requests: rateLimit, seconds: rateLimitWindow };

const storedQuota = (key: LimitColumns): StoredQuota | null =>
  key.quotaUnits === null
    ? null
    : {
        units: key.quotaUnits,
        refill: key.quotaRefill ?? 'never',
        taken: key.quotaTaken ?? 0,
        generation: key.quotaGeneration ?? 0,
        over: Boolean(key.quotaOver),
      };
