import { type Expression, type Kysely, sql } from 'kysely';
import { isForPostgres } from './db.ts';
import type { AccountId, Tables } from './tables.ts';

/** The factor of the day in {@link ChangeNumber}, so that the number of changes fits below it. */
const perDay = 1_000_000_000;

/** A number of changes that no account reaches in a day. */
export const unlimited = perDay - 1;

/** What the number of an audit event depends on, beside the event before it. */
export interface ChangeNumber {
  readonly account: AccountId;
  /** Whether the event is a change by the account itself: 1 or 0. Any other event repeats the number before it. */
  readonly counted: number;
  /** The most changes in a day, this event included. */
  readonly most: number;
  /** The day by this process's clock, as {@link dayOf} has it. PostgreSQL uses its own clock. */
  readonly today: number;
}

/** The length of a day, in milliseconds. */
export const millisecondsPerDay = 86_400_000;

/** The number of a day (UTC) before its first change: the days since 1970 times 1,000,000,000. */
export const dayOf = (now: Date): number => Math.floor(now.getTime() / millisecondsPerDay) * perDay;

/**
 * The value of `of_day` for a new audit event: the day, and the number of changes that the account has made on it so
 * far. Null if these are too many: the INSERT of the event then fails, and with it the whole change.
 *
 * The event before it has the number before, so the count costs no further statement. On PostgreSQL, a function first
 * takes the lock under which events get their ids: the INSERT alone would not see an event that another transaction
 * commits meanwhile.
 */
export const changeNumber = (
  kysely: Kysely<Tables>,
  { account, counted, most, today }: ChangeNumber,
): Expression<number> =>
  isForPostgres(kysely)
    ? sql`number_of_change(${account}, ${counted}, ${most})`
    : sql`(
        select case when number - today <= most then number end from (
          select today, most, counted + case when last - today between 0 and ${sql.lit(unlimited)} then last else today end as number
          from (
            select ${today} as today, ${most} as most, ${counted} as counted,
              coalesce((select of_day from audit_event where account_id = ${account} order by id desc limit 1), 0) as last
          )
        )
      )`;
