import type { ResultOf } from 'gql.tada';
import type { MessageId } from '../../messages/generated/messages.d.ts';
import type { Language } from '../../messages/language.ts';
import { perLocale } from '../../messages/per-locale.ts';
import type { apiKeysUsageQuery } from './documents.ts';

type Count = ResultOf<typeof apiKeysUsageQuery>['usage']['counts'][number];

const hour = 3_600_000;

/** The time ranges to choose from: each has a number of hours, or of days in UTC. */
export const spans = {
  '24h': { by: 'HOUR', step: hour, periods: 24 },
  '7d': { by: 'HOUR', step: hour, periods: 7 * 24 },
  '30d': { by: 'DAY', step: 24 * hour, periods: 30 },
} as const;

/** See {@link spans}. */
export type Span = keyof typeof spans;

/** The time range in the address; a day if it has none. */
export const spanIn = (params: URLSearchParams): Span => {
  const range = params.get('range') ?? '';
  return Object.hasOwn(spans, range) ? (range as Span) : '24h';
};

/** One hour or day: how often keys were verified. */
export interface UsagePoint {
  readonly at: Date;
  readonly valid: number;
  readonly refused: number;
  /** The refused verifications by reason, the most frequent first. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** The start and the end of a time range. Its last hour or day has begun and not ended. */
export function rangeOf(span: Span, now: Date): { readonly from: Date; readonly to: Date } {
  const { step, periods } = spans[span];
  const to = (Math.floor(now.getTime() / step) + 1) * step;
  return { from: new Date(to - periods * step), to: new Date(to) };
}

/** The counts for every hour or day, including those without use. */
export function pointsOf(span: Span, from: Date, counts: readonly Count[]): UsagePoint[] {
  const { step, periods } = spans[span];
  const byTime = Map.groupBy(counts, ({ at }) => Date.parse(at));
  return Array.from({ length: periods }, (_, index) => {
    const at = from.getTime() + index * step;
    return toPoint(new Date(at), byTime.get(at) ?? []);
  });
}

const toPoint = (at: Date, counts: readonly Count[]): UsagePoint => {
  const reasons = new Map(counts.map(({ outcome, count }) => [outcome, count]));
  const valid = reasons.get('valid') ?? 0;
  reasons.delete('valid');
  return { at, valid, refused: sum([...reasons.values()]), reasons: mostFirst(reasons) };
};

const mostFirst = (reasons: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...reasons].sort(([, one], [, other]) => other - one));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The sum of all points. */
export function totalOf(points: readonly UsagePoint[]): Omit<UsagePoint, 'at'> {
  const reasons = new Map<string, number>();
  for (const point of points)
    for (const [reason, count] of point.reasons) reasons.set(reason, count + (reasons.get(reason) ?? 0));
  return {
    valid: sum(points.map(({ valid }) => valid)),
    refused: sum(points.map(({ refused }) => refused)),
    reasons: mostFirst(reasons),
  };
}

/** The names of the reasons, in a sentence. */
const reasonNames: Readonly<Record<string, MessageId & `usage.reason-${string}`>> = {
  account_blocked: 'usage.reason-account_blocked',
  account_quota_exceeded: 'usage.reason-account_quota_exceeded',
  account_rate_limited: 'usage.reason-account_rate_limited',
  address_not_allowed: 'usage.reason-address_not_allowed',
  expired: 'usage.reason-expired',
  inactive: 'usage.reason-inactive',
  insufficient_permissions: 'usage.reason-insufficient_permissions',
  paused: 'usage.reason-paused',
  quota_exceeded: 'usage.reason-quota_exceeded',
  rate_limited: 'usage.reason-rate_limited',
  rotated: 'usage.reason-rotated',
};

/** `address_not_allowed` → `address not allowed`: there may be reasons that this page does not know. */
export function inWords({ text }: Language, reason: string): string {
  const name = Object.hasOwn(reasonNames, reason) ? reasonNames[reason] : undefined;
  return name ? text(name) : reason.replaceAll('_', ' ');
}

/** `address not allowed` → `Address not allowed`. */
export const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `120 valid, 3 refused (2 expired, 1 rate limited)`. */
export function describePoint(
  language: Language,
  { valid, refused, reasons }: Omit<UsagePoint, 'at'>,
): string {
  const { text, number } = language;
  if (refused === 0) return text('usage.none-refused', { valid });
  const why = [...reasons]
    .map(([reason, count]) => `${number(count)} ${inWords(language, reason)}`)
    .join(', ');
  return text('usage.some-refused', { valid, refused, why });
}

const date = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const periods = perLocale((locale) => ({
  DAY: new Intl.DateTimeFormat(locale, { ...date, timeZone: 'UTC' }),
  HOUR: new Intl.DateTimeFormat(locale, { ...date, hour: '2-digit', minute: '2-digit' }),
}));

/** An hour by the person's clock, `Sun 22 Nov, 14:00`, or a day of UTC, `Sun 22 Nov`. */
export const nameOfPeriod = (language: Language, at: Date, span: Span): string =>
  periods(language)[spans[span].by].format(at);
