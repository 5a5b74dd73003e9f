import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isForPostgres, prepareQuery } from '../../database/db.ts';
import type { AccountUse, ApiKeyUse, Tables } from '../../database/tables.ts';
import { badUserInput } from '../../errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { verificationFailures } from '../verify/verify-secret.ts';

/** A day, in milliseconds. */
export const day = 24 * 60 * 60_000;

/** The periods by which verifications are counted. Days are in UTC. */
export type UsagePeriod = 'HOUR' | 'DAY';

/** The longest range of an answer, in days. */
export const longestRange: Readonly<Record<UsagePeriod, number>> = { HOUR: 31, DAY: 366 };

/** The most periods of an answer: the hours of the longest range. */
export const mostPeriods = longestRange.HOUR * 24;

/** The most counts of an answer: a period has one for each outcome, though hardly ever all of them. */
export const mostCounts = mostPeriods * (1 + verificationFailures.length);

/** The members of an input that select the time. */
export const usageRangeMembers = {
  from: z.date().nullish(),
  to: z.date().nullish(),
  by: z.enum(['HOUR', 'DAY']).nullish(),
};

type RangeInput = z.output<z.ZodObject<typeof usageRangeMembers>>;

/** The hours that begin in a half-open interval. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
}

const refuse = (message: string) => badUserInput([{ path: ['from'], message, type: 'value_error' }]);

/**
 * Reads the requested range. The default is the last 24 hours, by the hour.
 * @throws {GatewayError} `BAD_USER_INPUT` if the range ends before it begins, or is too long
 */
function readUsageRange({ to: end, from: begin, by: period }: RangeInput) {
  const to = end ?? new Date();
  const from = begin ?? new Date(Math.max(to.getTime() - day, 0));
  const by = period ?? 'HOUR';
  if (from > to) throw refuse('Must not be after the end.');
  if (to.getTime() - from.getTime() <= longestRange[by] * day) return { from, to, by };
  throw refuse(`Must be at most ${longestRange[by]} days before the end.`);
}

/** The greatest value of GraphQL's Int. */
export const mostCount = 2 ** 31 - 1;

/** The number of verifications in an hour or a day with one outcome. */
export interface UsageCount {
  /** The beginning of the hour or day. */
  readonly at: Date;
  /** `valid`, or the reason of the refusal. */
  readonly outcome: string;
  /** At most 2³¹−1: greater counts appear as this value. */
  readonly count: number;
}

/** The numbers of verifications in a range. */
export interface Usage extends Range {
  readonly counts: readonly UsageCount[];
}

/** The SQL expression for the beginning of the period of a table's hour. */
export const periodOf = (
  kysely: Kysely<Tables>,
  table: 'account_use' | 'api_key_use',
  by: UsagePeriod,
): RawBuilder<Date> => {
  const hour = sql.ref<Date>(`${table}.hour`);
  if (by === 'HOUR') return hour;
  return isForPostgres(kysely) ? sql`date_trunc('day', ${hour}, 'UTC')` : sql`${hour} - ${hour} % 86400000`;
};

/** A query that joins the table of uses. */
// biome-ignore lint/suspicious/noExplicitAny: any query that has the table.
type Uses = SelectQueryBuilder<any, any, object>;

/**
 * Prepares the counts of the verifications in a range.
 * @param table the table that has them
 * @param select selects the uses in the range
 */
export function prepareUsage<Values extends object>(
  entity: typeof AccountUse | typeof ApiKeyUse,
  table: 'account_use' | 'api_key_use',
  select: (db: Kysely<Tables>, values: Values & Range) => Uses,
) {
  const prepare = (by: UsagePeriod) =>
    prepareQuery(entity, (db, values: Values & Range) => {
      const hour = periodOf(db, table, by);
      const outcome = sql.ref<string | null>(`${table}.outcome`);
      return select(db, values)
        .groupBy([hour, outcome])
        .select([hour.as('hour'), outcome.as('outcome')])
        .select(({ fn }) => fn.sum<number | string | bigint | null>(`${table}.count`).as('count'))
        .orderBy('hour')
        .orderBy('outcome');
    });
  const queries = { HOUR: prepare('HOUR'), DAY: prepare('DAY') };
  /**
   * Counts the verifications.
   * @returns the counts, and whether the query found any row: a row of nulls means no use
   */
  return async (
    { db }: Pick<OperationContext, 'db'>,
    given: RangeInput,
    values: Values,
  ): Promise<Usage & { readonly isFound: boolean }> => {
    const { by, ...range } = readUsageRange(given);
    const rows = await queries[by](db, { ...values, ...range });
    const counts = rows.flatMap(({ hour: at, outcome, count }) =>
      at === null || outcome === null ? [] : [{ at, outcome, count: Math.min(Number(count), mostCount) }],
    );
    return { ...range, counts, isFound: rows.length > 0 };
  };
}
