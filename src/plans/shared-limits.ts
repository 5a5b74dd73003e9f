import { allOrNone } from '../database/stored-values.ts';
import type { AccountId, QuotaRefill } from '../database/tables.ts';
import type {
  Grant,
  LimitsLeft,
  OperationServices,
  Quotas,
  Rate,
  RateLeft,
  Rates,
  StoredQuota,
} from '../operations/context.ts';
import { accountQuotaOf } from '../quotas/account-quotas.ts';

/** What is used of an account's quota, as columns beside something of the account; null: nothing was taken yet. */
export interface SharedColumns {
  readonly sharedRefill: QuotaRefill | null;
  readonly sharedTaken: number | null;
  readonly sharedGeneration: number | null;
  /** Whether the period is over; null: it never ends. */
  readonly sharedOver: boolean | null;
}

/** The limits of one owner: of an API key, or of an account, whose keys share them. */
export interface Limits {
  /** The id of the key, or of the account. */
  readonly ownerId: number;
  readonly rates: Rates;
  /** Null: there is no rate limit. */
  readonly rate: Rate | null;
  readonly quotas: Quotas;
  /** Null: there is no quota. */
  readonly quota: StoredQuota | null;
}

/** The limits that all API keys of an account share. */
export const sharedLimitsOf = (
  { accountRates, accountQuotas }: OperationServices,
  account: AccountId,
  { rateLimit, quota }: Pick<Grant, 'rateLimit' | 'quota'>,
  used: Partial<SharedColumns>,
): Limits => {
  const { sharedRefill: refill, sharedTaken: taken, sharedGeneration: generation } = used;
  const row = allOrNone('account_quota', { refill, taken, generation });
  return {
    ownerId: account,
    rates: accountRates,
    rate: rateLimit && { requests: rateLimit.limit, seconds: rateLimit.windowSeconds },
    quotas: accountQuotas,
    quota: quota && accountQuotaOf(quota, row && { ...row, over: used.sharedOver ?? null }),
  };
};

/** Returns the rest of a rate limit without using it. */
export const seeRate = ({ ownerId, rates, rate }: Limits): RateLeft | null =>
  rate && rates.peek(ownerId, rate);

/** Returns the rest of limits without using them. */
export const seeLimits = (limits: Limits, now: Date): LimitsLeft => {
  const { ownerId, quotas, quota } = limits;
  return { rate: seeRate(limits), quota: quota && quotas.peek({ ownerId, quota, now }) };
};
