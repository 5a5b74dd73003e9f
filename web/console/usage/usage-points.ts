import type { ResultOf } from 'gql.tada';
import type { apiKeysUsageQuery } from './documents.ts';

type Count = ResultOf<typeof apiKeysUsageQuery>['usage']['counts'][number];

const hour = 3_600_000;

/** The time ranges to choose from: each has a number of hours, or of days in UTC. */
export const spans = {
  '24h': { name: '24 hours', by: 'HOUR', step: hour, periods: 24 },
  '7d': { name: '7 days', by: 'HOUR', step: hour, periods: 7 * 24 },
  '30d': { name: '30 days', by: 'DAY', step: 24 * hour, periods: 30 },
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

const numbers = new Intl.NumberFormat('en-GB');

/** `12,345`. */
export const inDigits = (count: number): string => numbers.format(count);

/** `address_not_allowed` → `address not allowed`: there may be reasons that this page does not know. */
export const inWords = (reason: string): string => reason.replaceAll('_', ' ');

/** `address not allowed` → `Address not allowed`. */
export const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `120 valid, 3 refused (2 expired, 1 rate limited)`. */
export function describePoint({ valid, refused, reasons }: Omit<UsagePoint, 'at'>): string {
  if (refused === 0) return `${inDigits(valid)} valid, none refused`;
  const why = [...reasons].map(([reason, count]) => `${inDigits(count)} ${inWords(reason)}`).join(', ');
  return `${inDigits(valid)} valid, ${inDigits(refused)} refused (${why})`;
}

const date = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const days = new Intl.DateTimeFormat('en-GB', { ...date, timeZone: 'UTC' });
const hours = new Intl.DateTimeFormat('en-GB', { ...date, hour: '2-digit', minute: '2-digit' });

/** An hour by the person's clock, `Sun 22 Nov, 14:00`, or a day of UTC, `Sun 22 Nov`. */
export const nameOfPeriod = (at: Date, span: Span): string =>
  (spans[span].by === 'DAY' ? days : hours).format(at);
