import { duration } from '../../shared/times.ts';
import type { Grant } from '../plan/grant.ts';

/** How often a key may be verified. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** When a quota refills. */
export type Refill = 'NEVER' | 'DAILY' | 'MONTHLY';

/** How much a key may be used. */
export interface Quota {
  readonly limit: number;
  readonly refill: Refill;
}

/** The windows of a rate limit that have a name, by their length in seconds. */
export const windows: ReadonlyMap<number, string> = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** The periods of a quota, in words. */
export const periods: Readonly<Record<Refill, string>> = {
  NEVER: 'in total',
  DAILY: 'per day',
  MONTHLY: 'per month',
};

const numbers = new Intl.NumberFormat('en-GB');

/** `1,000,000`. */
const inDigits = (count: number): string => numbers.format(count);

/** `1 request`, `1,000 requests`. */
const requests = (count: number): string => `${inDigits(count)} ${count === 1 ? 'request' : 'requests'}`;

/** `100 requests per minute`. */
export function rateInWords({ limit, windowSeconds }: RateLimit): string {
  const window = windows.get(windowSeconds);
  if (window === undefined) return `${requests(limit)} every ${duration(windowSeconds)}`;
  return `${requests(limit)} per ${window}`;
}

/** `1,000 requests per day`. */
export const quotaInWords = ({ limit, refill }: Quota): string => `${requests(limit)} ${periods[refill]}`;

const thisPeriod: Readonly<Record<Refill, string>> = { NEVER: '', DAILY: ' today', MONTHLY: ' this month' };

/** `750 of 1,000 requests left today`. */
export const leftInWords = ({ limit, refill }: Quota, remaining: number): string =>
  `${remaining === 0 ? 'None' : inDigits(remaining)} of ${requests(limit)} left${thisPeriod[refill]}`;

/** `97 of 100 requests per minute left`. */
export const rateLeftInWords = (rate: RateLimit, remaining: number): string =>
  `${remaining === 0 ? 'None' : inDigits(remaining)} of ${rateInWords(rate)} left`;

/** What is left of a quota, and when it refills. */
interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
  /** A time in ISO 8601; null if the quota never refills, or if the time is not known. */
  readonly refillsAt: string | null;
}

/** The quota at this time: its period may have ended since the page fetched it. */
export const quotaNow = ({ limit, remaining, refillsAt }: QuotaState, now: Date): QuotaState =>
  refillsAt !== null && new Date(refillsAt) <= now
    ? { limit, remaining: limit, refillsAt: null }
    : { limit, remaining, refillsAt };

/** `2 active keys`. */
const activeKeys = (count: number): string => `${count} active ${count === 1 ? 'key' : 'keys'}`;

/** `90 days`. */
export const daysInWords = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;

/**
 * The limits of a plan that are numbers, each in a few words.
 * @example ['10 requests per minute', '1,000 requests per month', '2 active keys', '90 days per key']
 */
export function boundsInWords({ rateLimit, quota, maxActiveKeys, maxKeyDays }: Grant): string[] {
  const bounds = [
    rateLimit && rateInWords(rateLimit),
    quota && quotaInWords(quota),
    maxActiveKeys !== null && activeKeys(maxActiveKeys),
    maxKeyDays !== null && `${daysInWords(maxKeyDays)} per key`,
  ];
  return bounds.filter((bound) => typeof bound === 'string');
}
