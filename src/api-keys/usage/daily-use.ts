import { setImmediate } from 'node:timers/promises';
import { type Db, isForPostgres, prepareQuery } from '../../database/db.ts';
import { itemsOf, type ManyValues, prepareForMany, shareReads } from '../../database/shared-read.ts';
import { ApiKeyUse } from '../../database/tables.ts';
import { day, mostCount, periodOf } from './usage-counts.ts';

/** The number of days, today included. */
export const shownDays = 14;

/** How often a key was verified on each day (UTC), the oldest first: at most 2³¹−1 each. */
export interface DailyUse {
  readonly allowed: readonly number[];
  readonly refused: readonly number[];
  /** Why verifications were refused, the most frequent reason first. */
  readonly reasons: readonly string[];
}

/** The beginning of the first day. */
const firstDay = (now: number): number => now - (now % day) - (shownDays - 1) * day;

const readUses = prepareForMany(
  (count) =>
    prepareQuery(ApiKeyUse, (db, values: ManyValues<number, { readonly since: Date }>) =>
      db
        .selectFrom('api_key_use')
        .where('api_key_id', 'in', itemsOf(values, count))
        .where('hour', '>=', values.since)
        .groupBy(['api_key_id', periodOf(db, 'api_key_use', 'DAY'), 'outcome'])
        .select(['api_key_id', periodOf(db, 'api_key_use', 'DAY').as('hour'), 'outcome'])
        .select(({ fn }) => fn.sum<number | string>('count').as('count')),
    ),
  () => ({ since: new Date(firstDay(Date.now())) }),
);

const readTogether = shareReads(readUses, 128);

let turn: Promise<unknown> = Promise.resolve();

/** SQLite answers within the call, up to a millisecond for a busy key. Others get their turn between two keys. */
function readInTurn(db: Db, keyId: number): ReturnType<typeof readUses> {
  const rows = turn.then(() => setImmediate()).then(() => readUses(db, [keyId]));
  turn = rows.catch(() => {});
  return rows;
}

/**
 * Reads how often an API key was verified on each of the last days, the oldest first. Keys that are read together
 * share a query.
 */
export async function dailyUseOf(db: Db, keyId: number): Promise<DailyUse> {
  const found = await (isForPostgres(db.kysely) ? readTogether(db, [keyId]) : readInTurn(db, keyId));
  const first = firstDay(Date.now());
  const [allowed, refused] = [zeros(), zeros()];
  const reasons = new Map<string, number>();
  for (const { apiKey, hour, outcome, count } of found) {
    const index = (hour.getTime() - first) / day;
    if (apiKey !== keyId || !(index in allowed)) continue;
    const counts = outcome === 'valid' ? allowed : refused;
    counts[index] = Math.min((counts[index] ?? 0) + Number(count), mostCount);
    if (outcome !== 'valid') reasons.set(outcome, (reasons.get(outcome) ?? 0) + Number(count));
  }
  const mostFirst = [...reasons].sort(
    ([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1),
  );
  return { allowed, refused, reasons: mostFirst.map(([reason]) => reason) };
}

const zeros = (): number[] => Array.from({ length: shownDays }, () => 0);
