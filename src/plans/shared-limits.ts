import type { AccountId, QuotaRefill } from '../database/tables.ts';
import type {
  Grant,
  OperationServices,
  QuotaLeft,
  Rate,
  RateUse,
  StoredQuota,
} from '../operations/context.ts';
import { accountQuotaOf } from '../quotas/account-quotas.ts';

/** What is used of an account's quota, as columns beside something of the account; null: nothing was taken yet. */
export interface SharedColumns {
  readonly sharedRefill: QuotaRefill | null;
  readonly sharedTaken: number | null;
  readonly sharedGeneration: number | null;
  /** Whether the period is over; SQLite returns a number. */
  readonly sharedOver: unknown;
}

/** The limits that all API keys of an account share. */
export const sharedLimitsOf = (
  { rateLimit, quota }: Pick<Grant, 'rateLimit' | 'quota'>,
  { sharedRefill: refill, sharedTaken: taken, sharedGeneration: generation, sharedOver: over }: SharedColumns,
): { readonly rate: Rate | null; readonly quota: StoredQuota | null } => {
  const row =
    generation === null || taken === null || refill === null ? null : { refill, taken, generation, over };
  return {
    rate: rateLimit && { requests: rateLimit.limit, seconds: rateLimit.windowSeconds },
    quota: quota && accountQuotaOf(quota, row),
  };
};

/** The rest of a rate limit: of a key's own, or of its account's. */
export interface RateLimitState {
  /** The number of verifications in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window. */
  readonly resetsAt: Date;
}

/** The rest of the limits that all API keys of an account share; null: there is no such limit. */
export interface SharedLimitsLeft {
  readonly rateLimit: RateLimitState | null;
  readonly quota: QuotaLeft | null;
}

/** The rest of a rate limit as clients see it; null: there is none. */
export const rateStateOf = (rate: Omit<RateUse, 'isRefused'> | null): RateLimitState | null =>
  rate && { limit: rate.rate.requests, remaining: rate.remaining, resetsAt: rate.resetsAt };

/** Returns the rest of the limits that all API keys of an account share, without using them. */
export function seeSharedLimits(
  { accountRates, accountQuotas }: Pick<OperationServices, 'accountRates' | 'accountQuotas'>,
  ownerId: AccountId,
  { rate, quota }: ReturnType<typeof sharedLimitsOf>,
  now: Date,
): SharedLimitsLeft {
  return {
    rateLimit: rateStateOf(rate && accountRates.peek(ownerId, rate)),
    quota: quota && accountQuotas.peek({ ownerId, quota, now }),
  };
}
