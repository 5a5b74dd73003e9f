import { sql } from 'kysely';
import { cleanUpBatch } from '../database/clean-up.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey, ApiKeyQuota, ApiKeySecret, ApiKeyUse } from '../database/tables.ts';

/** The most rows that one statement removes: on SQLite, all other writers wait for the statement. */
const limit = sql.lit(cleanUpBatch);

interface OfKey {
  readonly keyId: number;
}

const deleteUses = prepareQuery(ApiKeyUse, (db, { keyId }: OfKey) =>
  db
    .deleteFrom('api_key_use')
    .where('api_key_id', '=', keyId)
    .where(
      ({ refTuple, selectFrom }) =>
        sql<boolean>`${refTuple('hour', 'outcome')} in ${selectFrom('api_key_use as some')
          .where('some.api_key_id', '=', keyId)
          .select(['some.hour', 'some.outcome'])
          .limit(limit)}`,
    )
    .returning('hour'),
);

const deleteSecrets = prepareQuery(ApiKeySecret, (db, { keyId }: OfKey) =>
  db
    .deleteFrom('api_key_secret')
    .where('id', 'in', (secrets) =>
      secrets.selectFrom('api_key_secret').select('id').where('api_key_id', '=', keyId).limit(limit),
    )
    .returning('id'),
);

const deleteKey = [
  prepareQuery(ApiKeyQuota, (db, { keyId }: OfKey) =>
    db.deleteFrom('api_key_quota').where('api_key_id', '=', keyId),
  ),
  prepareQuery(ApiKey, (db, { keyId }: OfKey) => db.deleteFrom('api_key').where('id', '=', keyId)),
];

/**
 * Removes an API key with its uses, its secrets and its quota. If there are too many for one transaction, removes some
 * of them: another call continues.
 * @param db a transaction that has locked the key. So concurrent counts of its uses either come before this, or are
 *   dropped afterwards.
 * @returns the number of removed rows
 */
export async function removeKey(db: Db, keyId: number): Promise<number> {
  let removed = 0;
  for (const deleteSome of [deleteUses, deleteSecrets]) {
    const { length } = await deleteSome(db, { keyId });
    removed += length;
    if (length >= cleanUpBatch) return removed;
  }
  for (const remove of deleteKey) await remove(db, { keyId });
  return removed + 1;
}
