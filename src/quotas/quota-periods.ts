import { type Expression, type Kysely, sql } from 'kysely';
import { isForPostgres } from '../database/db.ts';
import { UnexpectedValueError } from '../database/failures.ts';
import type { QuotaRefill, Tables } from '../database/tables.ts';

// The end of a quota's period. All nodes use the clock of their shared database: a node with a fast clock would
// refill a quota early, and one with a slow clock would refill it late. SQLite has only one process, and uses the
// clock of that.

const dayLength = 24 * 60 * 60_000;

/** The last day that was asked about, and the ends of its periods: one day is asked about again and again. */
let last = { day: Number.NaN, daily: new Date(Number.NaN), monthly: new Date(Number.NaN) };

/**
 * The end of the period that contains a moment, at 00:00 UTC; null: never.
 * @throws {UnexpectedValueError} for a refill that does not exist
 */
export function periodEnd(refill: QuotaRefill, now: Date): Date | null {
  if (refill === 'never') return null;
  const day = Math.floor(now.getTime() / dayLength);
  if (day !== last.day) {
    const monthly = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
    last = { day, daily: new Date((day + 1) * dayLength), monthly };
  }
  if (refill === 'daily') return last.daily;
  if (refill === 'monthly') return last.monthly;
  throw new UnexpectedValueError('the refill of a quota', refill);
}

/** The greatest step by which a clock may go back over the end of a period without any effect, in seconds. */
const tolerance = 60;

/**
 * Whether a period is over. A period that ends too far in the future is over as well: the clock was fast when it
 * began.
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
 * @param now the time by this process's clock, which SQLite uses
 * @param ahead the number of seconds by which the moment is later
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

/** {@link isPeriodOver} of a row of a table of quotas, by the database's clock; null for a quota without refills. */
export function isPeriodOverIn(
  kysely: Kysely<Tables>,
  now: Date,
  table: 'api_key_quota' | 'account_quota' = 'api_key_quota',
): Expression<boolean | null> {
  const [refillsAt, refill] = ['refills_at', 'refill'].map((column) => sql.ref(`${table}.${column}`));
  const latest = periodEndIn(kysely, refill as Expression<QuotaRefill>, now, tolerance);
  return sql`(${refillsAt} <= ${clock(kysely, now)} or ${refillsAt} > ${latest})`;
}
