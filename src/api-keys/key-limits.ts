import type { QuotaRefill } from '../database/tables.ts';
import type {
  KeyRate,
  KeyRateUse,
  OperationContext,
  QuotaLeft,
  QuotaQuestion,
  StoredQuota,
} from '../operations/context.ts';

/** A key's own rate limit and quota, as columns beside the key. */
export interface LimitColumns {
  readonly id: number;
  readonly rateLimit: number | null;
  readonly rateLimitWindow: number | null;
  readonly quotaUnits: number | null;
  readonly quotaRefill: QuotaRefill | null;
  readonly quotaTaken: number | null;
  readonly quotaGeneration: number | null;
  /** Whether the period has ended; SQLite returns a number. */
  readonly quotaOver: unknown;
}

/** The rest of a key's own limits; null if the key has none. */
export interface KeyLimits {
  readonly rate: Omit<KeyRateUse, 'isRefused'> | null;
  readonly quota: QuotaLeft | null;
}

/** The part of an operation's context that limits use. */
export type LimitContext = Pick<OperationContext, 'db' | 'keyRates' | 'keyQuotas'>;

/** The time and the cost of a use. */
export type Use = Pick<QuotaQuestion, 'askedAt' | 'now' | 'cost'>;

/**
 * Uses a key's rate limit, and then its quota. A use that the rate limit refuses takes nothing from the quota.
 * @returns the reason of the refusal; null if the use is allowed
 */
export async function useLimits(
  { db, keyRates, keyQuotas }: LimitContext,
  key: LimitColumns,
  use: Use,
): Promise<KeyLimits & { readonly refusal: 'rate_limited' | 'quota_exceeded' | null }> {
  const rated = rateOf(key);
  const stored = storedQuota(key);
  const rate = rated && keyRates.use(key.id, rated);
  if (rate?.isRefused) return { rate, quota: lookAt(keyQuotas, key, use), refusal: 'rate_limited' };
  const quota = stored && (await keyQuotas.spend(db, { keyId: key.id, quota: stored, ...use }));
  return { rate, quota, refusal: quota?.isGranted === false ? 'quota_exceeded' : null };
}

/** Returns the rest of a key's limits without using them. */
export const seeLimits = (
  { keyRates, keyQuotas }: LimitContext,
  key: LimitColumns,
  now: Pick<Use, 'now'>,
): KeyLimits => {
  const rate = rateOf(key);
  return { rate: rate && keyRates.look(key.id, rate), quota: lookAt(keyQuotas, key, now) };
};

const lookAt = (
  quotas: OperationContext['keyQuotas'],
  key: LimitColumns,
  { now }: Pick<Use, 'now'>,
): QuotaLeft | null => {
  const quota = storedQuota(key);
  return quota && quotas.look({ keyId: key.id, quota, now });
};

const rateOf = ({ rateLimit, rateLimitWindow }: LimitColumns): KeyRate | null =>
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
