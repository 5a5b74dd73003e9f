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

/** The beginning of a period, of the hour that is counted in a table. */
export const periodOf = (
  kysely: Kysely<Tables>,
  table: 'account_use' | 'api_key_use',
  by: UsagePeriod,
): RawBuilder<Date> => {
  const hour = sql.ref<Date>(`${table}.hour`);
  if (by === 'HOUR') return hour;
  return isForPostgres(kysely) ? sql`date_trunc('day', ${hour}, 'UTC')` : sql`${hour} - ${hour} % 86400000`;
};

/** What a query answers of a period; nulls where it answers that there is nothing. */
interface CountedRow {
  readonly hour: Date | null;
  readonly outcome: string | null;
  readonly count: number | string | bigint | null;
}

/** Rows as counts. */
export const toCounts = (rows: readonly CountedRow[]): UsageCount[] =>
  rows.flatMap(({ hour, outcome, count }) =>
    hour === null || outcome === null
      ? []
      : [{ at: hour, outcome, count: Math.min(Number(count), mostCount) }],
  );
