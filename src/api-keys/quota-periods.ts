import { type Expression, type Kysely, sql } from 'kysely';
import { isForPostgres } from '../database/db.ts';
import type { QuotaRefill, Tables } from '../database/tables.ts';

// When the period of a quota ends. All nodes go by the clock of the database that they share: by that of a node which is
// ahead, a quota would be filled early, and by that of one which is behind, late. SQLite has one process alone, whose
// clock it is.

/** When a period ends that holds a moment, at 00:00 UTC; null: never. */
export function periodEnd(refill: QuotaRefill, now: Date): Date | null {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (refill === 'daily') return new Date(Date.UTC(year, month, day + 1));
  return refill === 'monthly' ? new Date(Date.UTC(year, month + 1)) : null;
}

/** For how long a clock may be set back over the end of a period, in seconds, and change nothing. */
const tolerance = 60;

/**
 * Whether a period is over. One that ends later than a period can is over as well: the clock was ahead when it began.
 */
export function isPeriodOver(refill: QuotaRefill, refillsAt: Date | null, now: Date): boolean {
  const latest = periodEnd(refill, new Date(now.getTime() + tolerance * 1000));
  return refillsAt !== null && (refillsAt <= now || (latest !== null && refillsAt > latest));
}

/** The database's clock. */
const clock = (kysely: Kysely<Tables>, now: Date): Expression<Date> =>
  isForPostgres(kysely) ? sql`now()` : sql`${now}`;

/**
 * {@link periodEnd}, by the database's clock.
 * @param refill an expression
 * @param now the time by the clock of this process, which SQLite goes by
 * @param ahead a moment so many seconds later
 */
export function periodEndIn(
  kysely: Kysely<Tables>,
  refill: Expression<QuotaRefill>,
  now: Date,
  ahead = 0,
): Expression<Date | null> {
  const at = clock(kysely, now);
  const endOf = (unit: string) =>
    isForPostgres(kysely)
      ? sql`(date_trunc(${sql.lit(unit)}, (${at} + ${sql.lit(`${ahead} seconds`)}::interval) at time zone 'UTC')
          + ${sql.lit(`1 ${unit}`)}::interval) at time zone 'UTC'`
      : sql`unixepoch(${at} / 1000 + ${sql.lit(ahead)}, 'unixepoch', ${sql.lit(`start of ${unit}`)}, ${sql.lit(`+1 ${unit}`)}) * 1000`;
  return sql`case ${refill} when 'daily' then ${endOf('day')} when 'monthly' then ${endOf('month')} end`;
}

/** {@link isPeriodOver}, by the database's clock, of a row of `api_key_quota`; null for a quota that is never refilled. */
export function isPeriodOverIn(kysely: Kysely<Tables>, now: Date): Expression<boolean | null> {
  const [refillsAt, refill] = ['refills_at', 'refill'].map((column) => sql.ref(`api_key_quota.${column}`));
  const latest = periodEndIn(kysely, refill as Expression<QuotaRefill>, now, tolerance);
  return sql`(${refillsAt} <= ${clock(kysely, now)} or ${refillsAt} > ${latest})`;
}
