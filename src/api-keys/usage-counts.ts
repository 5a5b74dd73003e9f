import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isForPostgres } from '../database/prepare-query.ts';
import type { Tables } from '../database/tables.ts';
import type { UsagePeriod, UsageRange } from './usage-range.ts';

/** The most that GraphQL's Int can say. */
const mostCount = 2 ** 31 - 1;

/** How often keys were verified in an hour or a day with one outcome. */
export interface UsageCount {
  /** When that hour or day begins. */
  readonly at: Date;
  /** `valid`, or the reason why not. */
  readonly outcome: string;
  /** What is more reads as 2³¹−1. */
  readonly count: number;
}

/** How often keys were verified in a range. */
export interface Usage extends Pick<UsageRange, 'from' | 'to'> {
  readonly counts: readonly UsageCount[];
}

/** The beginning of a period, of the hour that is counted. */
export const periodOf = (kysely: Kysely<Tables>, by: UsagePeriod): RawBuilder<Date> => {
  if (by === 'HOUR') return sql`api_key_use.hour`;
  return isForPostgres(kysely)
    ? sql`date_trunc('day', api_key_use.hour, 'UTC')`
    : sql`api_key_use.hour - api_key_use.hour % 86400000`;
};

/** What a query answers of a period; nulls where it answers that there is nothing. */
interface CountedRow {
  readonly hour: Date | null;
  readonly outcome: string | null;
  readonly count: number | string | bigint | null;
}

/** Rows as counts, those of one period and outcome in one, in order of time. */
export function toCounts(rows: readonly CountedRow[]): UsageCount[] {
  const counts = new Map<string, UsageCount>();
  for (const { hour, outcome, count } of rows) {
    if (hour === null || outcome === null) continue;
    const place = `${hour.getTime()} ${outcome}`;
    const sum = Number(count) + (counts.get(place)?.count ?? 0);
    counts.set(place, { at: hour, outcome, count: Math.min(sum, mostCount) });
  }
  return [...counts.values()];
}
