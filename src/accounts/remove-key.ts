import { sql } from 'kysely';
import { cleanUpBatch } from '../database/clean-up.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey, ApiKeyQuota, ApiKeySecret, ApiKeyUse } from '../database/tables.ts';

/** The most rows that one statement removes: on SQLite, all other writers wait for the statement. */
const limit = sql.lit(cleanUpBatch);

/**
 * Prepares a statement that deletes some counts of verifications.
 * @param owner the column with the key, or with the account, whose counts they are
 */
export const prepareDeleteUses = (table: 'api_key_use' | 'account_use', owner: 'api_key_id' | 'account_id') =>
  prepareQuery(ApiKeyUse, (db, { id }: { readonly id: number }) => {
    const uses = sql`${sql.table(table)} where ${sql.ref(owner)} = ${id}`;
    const query = sql<{ hour: Date }>`
      delete from ${uses} and (hour, outcome) in (select hour, outcome from ${uses} limit ${limit}) returning hour`;
    return { compile: () => query.compile(db) };
  });

const deleteUses = prepareDeleteUses('api_key_use', 'api_key_id');

interface OfKey {
  readonly id: number;
}

const deleteSecrets = prepareQuery(ApiKeySecret, (db, { id }: OfKey) =>
  db
    .deleteFrom('api_key_secret')
    .where('id', 'in', (secrets) =>
      secrets.selectFrom('api_key_secret').select('id').where('api_key_id', '=', id).limit(limit),
    )
    .returning('id'),
);

const deleteKey = [
  prepareQuery(ApiKeyQuota, (db, { id }: OfKey) =>
    db.deleteFrom('api_key_quota').where('api_key_id', '=', id),
  ),
  prepareQuery(ApiKey, (db, { id }: OfKey) => db.deleteFrom('api_key').where('id', '=', id)),
];

/**
 * Removes an API key with its uses, its secrets and its quota. If there are too many for one transaction, removes some
 * of them: another call continues.
 * @param db a transaction that has locked the key. So concurrent counts of its uses either come before this, or are
 *   dropped afterwards.
 * @returns the number of removed rows
 */
export async function removeKey(db: Db, id: number): Promise<number> {
  let removed = 0;
  for (const deleteSome of [deleteUses, deleteSecrets]) {
    const { length } = await deleteSome(db, { id });
    removed += length;
    if (length >= cleanUpBatch) return removed;
  }
  for (const remove of deleteKey) await remove(db, { id });
  return removed + 1;
}
