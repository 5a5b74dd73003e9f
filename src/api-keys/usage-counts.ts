import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isForPostgres } from '../database/db.ts';
import type { Tables } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';

const day = 24 * 60 * 60_000;

/** What verifications are counted by. Days are those of UTC. */
export type UsagePeriod = 'HOUR' | 'DAY';

/** The longest range that is answered, in days. */
const longest: Readonly<Record<UsagePeriod, number>> = { HOUR: 31, DAY: 366 };

/** The most periods of an answer: the hours of the longest range. */
export const mostPeriods = longest.HOUR * 24;

/** The members of an input that say which time is asked for. */
export const usageRangeMembers = {
  from: z.date().nullish(),
  to: z.date().nullish(),
  by: z.enum(['HOUR', 'DAY']).nullish(),
};

type RangeInput = z.output<z.ZodObject<typeof usageRangeMembers>>;

/** The hours that begin in a half-open interval. */
export interface UsageRange {
  readonly from: Date;
  readonly to: Date;
  readonly by: UsagePeriod;
}

const refuse = (message: string) => badUserInput([{ path: ['from'], message, type: 'value_error' }]);

/**
 * The range that is asked for; where nothing is, the last 24 hours by the hour.
 * @throws {GatewayError} `BAD_USER_INPUT` where it ends before it begins, or is too long
 */
export function readUsageRange({ to: end, from: begin, by: period }: RangeInput): UsageRange {
  const to = end ?? new Date();
  const from = begin ?? new Date(Math.max(to.getTime() - day, 0));
  const by = period ?? 'HOUR';
  if (from > to) throw refuse('Must not be after the end.');
  if (to.getTime() - from.getTime() <= longest[by] * day) return { from, to, by };
  throw refuse(`Must be at most ${longest[by]} days before the end.`);
}

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
