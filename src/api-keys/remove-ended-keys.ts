// Keys that ended long ago are removed, so that nobody fills the database with them. Whether it is long ago must not
// depend on a clock alone: a machine may start with a clock that is years ahead, and what was removed does not come
// back.

import { sql } from 'kysely';
import { removeKey } from '../accounts/remove-key.ts';
import { cleanUp, cleanUpBatch } from '../database/clean-up.ts';
import { forUpdate, tryLock } from '../database/conditions.ts';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { ApiKey, AuditEvent } from '../database/tables.ts';
import type { Repeated } from '../repeated.ts';

const day = 24 * 60 * 60_000;

/**
 * The lock that lets one node at a time remove keys: the first 64 bits of SHA-256 of `api_key`, an arbitrary number.
 */
const lock = '3358496514972106238';

/**
 * Selects the time of the last change that somebody made with an access token. On PostgreSQL, a time that is still to
 * come by the database's clock becomes the present one.
 */
const selectLastChange = prepareQuery(AuditEvent, (db, _: object) => {
  const last = db.selectFrom('audit_event').where('actor', 'is', null).orderBy('id', 'desc').limit(1);
  return isForPostgres(db)
    ? last.select(sql<Date>`least(created_at, now())`.as('created_at'))
    : last.select('created_at');
});

interface Ended {
  /** The latest end of the keys. */
  readonly until: Date;
}

/**
 * Prepares a query that selects and locks the key that ended first, unless another node is removing keys. The query
 * reads an index of such keys alone, so any number of other keys costs nothing.
 * @param column the time of the end
 */
const takeBy = (column: 'deactivated_at' | 'expires_at') =>
  prepareQuery(ApiKey, (db, { until }: Ended) => {
    const keys = db
      .selectFrom('api_key')
      .select('id')
      .where(column, '<=', until)
      // A key that ended before it was made has its end from a clock that was behind.
      .where('created_at', '<=', until)
      .where(sql<boolean>`(select ${tryLock(db, lock)})`)
      .orderBy(column)
      .limit(1);
    const key = column === 'expires_at' ? keys.where('is_active', '=', sql.lit(true)) : keys;
    return forUpdate(db, key);
  });

/** The keys that were deactivated; then the keys that expired and were never deactivated. */
const takeEnded = [takeBy('deactivated_at'), takeBy('expires_at')];

/**
 * Removes an ended API key, or some of its rows.
 * @returns whether more may be left
 */
const removeOne = (db: Db, ended: Ended): Promise<boolean> =>
  db.transaction(async (transaction) => {
    for (const take of takeEnded) {
      const [key] = await take(transaction, ended);
      if (!key) continue;
      await removeKey(transaction, key.id);
      return true;
    }
    return false;
  });

/**
 * Removes API keys some days after they were deactivated; or, if they never were, after they expired. This happens at
 * regular intervals, one key in a transaction. Disposing of the result ends this.
 *
 * The days count up to the last change that somebody made with an access token, not up to now. So a clock that is
 * ahead removes nothing: by such a clock all access tokens have expired, and nobody changes anything.
 * @param keptDays the number of days for which ended keys are stored
 * @param onFailure receives the error of a failed run; a later run tries again
 */
export function removeEndedKeys(db: Db, keptDays: number, onFailure: (error: unknown) => void): Repeated {
  const removeSome = async (): Promise<number> => {
    const [last] = await selectLastChange(db, {});
    if (!last) return 0;
    const until = new Date(Math.min(last.createdAt.getTime(), Date.now()) - keptDays * day);
    return (await removeOne(db, { until })) ? cleanUpBatch : 0;
  };
  return cleanUp(removeSome, onFailure);
}
