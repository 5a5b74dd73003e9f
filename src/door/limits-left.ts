import type { GatewayError } from '../errors.ts';
import type { Exchange, Quota } from '../http/exchange.ts';
import { rateFields, secondsUntil, secondsUntilReset, tooManyRequests } from '../http/rate-limits/limiter.ts';
import type { LimitsLeft, QuotaLeft } from '../operations/context.ts';

/** The rest of the limits of an API key: of its own, and of those that all keys of its account share. */
export interface KeyLimitsLeft {
  readonly own: LimitsLeft;
  readonly shared: LimitsLeft;
}

/** The `Retry-After` of a quota that never becomes full again, in seconds: somebody may raise it. */
const anHour = 3600;

/** The errors for a genuine API key that has used up its limits, by the reason of the refusal. */
const exhausted: Readonly<Record<string, (left: KeyLimitsLeft) => GatewayError>> = {
  rate_limited: ({ own }) => tooOften('rate-limit-key', own),
  account_rate_limited: ({ shared }) => tooOften('rate-limit-plan', shared),
  quota_exceeded: ({ own }) => tooMuch('quota-exceeded', own),
  account_quota_exceeded: ({ shared }) => tooMuch('plan-quota-exceeded', shared),
};

const tooOften = (reason: string, { rate }: LimitsLeft): GatewayError =>
  tooManyRequests(reason, rate ? secondsUntilReset(rate) : anHour);

const tooMuch = (reason: string, { quota }: LimitsLeft): GatewayError =>
  tooManyRequests(reason, quota?.refillsAt ? secondsUntil(quota.refillsAt) : anHour);

/** Makes the error for an API key that has used up its limits; undefined if it was refused for another reason. */
export const refuseExhausted = (reason: string, left: KeyLimitsLeft): GatewayError | undefined =>
  exhausted[reason]?.(left);

const quotaFields = (name: string, { limit, remaining, refillsAt }: QuotaLeft): Quota => ({
  policy: `"${name}";q=${limit}`,
  state: `"${name}";r=${remaining}${refillsAt ? `;t=${secondsUntil(refillsAt)}` : ''}`,
});

/** Records the rest of an API key's limits, and of its account's, for the answer. */
export function noteLimits({ quotas }: Exchange, { own, shared }: KeyLimitsLeft): void {
  if (own.rate) quotas.set('key', rateFields('key', own.rate));
  if (own.quota) quotas.set('quota', quotaFields('quota', own.quota));
  if (shared.rate) quotas.set('plan', rateFields('plan', shared.rate));
  if (shared.quota) quotas.set('plan-quota', quotaFields('plan-quota', shared.quota));
}
