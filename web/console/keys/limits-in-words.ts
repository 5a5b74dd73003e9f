import type { Language } from '../../messages/language.ts';
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
const windows: ReadonlyMap<number, string> = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** The lengths of the usual windows of a rate limit, in seconds. */
export const windowLengths: readonly number[] = [...windows.keys()];

/** The periods of a quota. */
export const refills: readonly Refill[] = ['NEVER', 'DAILY', 'MONTHLY'];

/** What a message needs of a window: its name or, for one without a name, its length. */
const windowOf = ({ duration }: Language, seconds: number) => ({
  window: windows.get(seconds) ?? 'other',
  duration: duration(seconds),
});

/** `minute`, after “requests per”. */
export const windowInWords = (language: Language, seconds: number): string =>
  language.text('keys.window', windowOf(language, seconds));

/** `per month`, after “requests”. */
export const periodInWords = ({ text }: Language, refill: Refill): string => text('keys.period', { refill });

/** `100 requests per minute`. */
export const rateInWords = (language: Language, { limit, windowSeconds }: RateLimit): string =>
  language.text('keys.rate', { limit, ...windowOf(language, windowSeconds) });

/** `1,000 requests per day`. */
export const quotaInWords = ({ text }: Language, { limit, refill }: Quota): string =>
  text('keys.quota', { limit, refill });

/** `750 of 1,000 requests left today`. */
export const leftInWords = ({ text }: Language, { limit, refill }: Quota, remaining: number): string =>
  text('keys.quota-left', { limit, refill, remaining });

/** `97 of 100 requests per minute left`. */
export const rateLeftInWords = (
  language: Language,
  { limit, windowSeconds }: RateLimit,
  remaining: number,
): string => language.text('keys.rate-left', { limit, remaining, ...windowOf(language, windowSeconds) });

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

/**
 * The limits of a plan that are numbers, each in a few words.
 * @example ['10 requests per minute', '1,000 requests per month', '2 active keys', '90 days per key']
 */
export function boundsInWords(
  language: Language,
  { rateLimit, quota, maxActiveKeys, maxKeyDays }: Grant,
): string[] {
  const bounds = [
    rateLimit && rateInWords(language, rateLimit),
    quota && quotaInWords(language, quota),
    maxActiveKeys !== null && language.text('keys.bound-keys', { count: maxActiveKeys }),
    maxKeyDays !== null && language.text('keys.bound-days', { count: maxKeyDays }),
  ];
  return bounds.filter((bound) => typeof bound === 'string');
}
