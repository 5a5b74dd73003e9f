import { z } from 'zod';
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
