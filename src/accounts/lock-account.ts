import type { EntityName } from '@mikro-orm/sql';
import { PostgresAdapter } from 'kysely';
import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { Account, type AccountId, ApiKey, AutomationSettings, PrivateKey } from '../database/tables.ts';

// An UPDATE that changes nothing locks its row on both databases; SQLite has no SELECT … FOR UPDATE.
const touchAccount = prepareQuery(Account, (db, { id }: Pick<Account, 'id'>) =>
  db
    .updateTable('account')
    .set((column) => ({ id: column.ref('id') }))
    .where('id', '=', id),
);

/**
 * Makes all others wait who lock the same account, until this transaction ends.
 * @param db a transaction
 */
export async function lockAccount(db: Db, id: AccountId): Promise<void> {
  await touchAccount(db, { id });
}

// An UPDATE that changes nothing locks its row on both databases, as above.
const touchOf = (entity: EntityName, table: 'automation_settings' | 'private_key') =>
  prepareQuery(entity, (db, { account }: { account: AccountId }) =>
    db
      .updateTable(table)
      .set((column) => ({ id: column.ref('id') }))
      .where('account_id', '=', account),
  );

const touchSettings = touchOf(AutomationSettings, 'automation_settings');
const touchPrivateKey = touchOf(PrivateKey, 'private_key');

/** Makes all others wait who would change the settings or the private key of an account, which is locked already. */
export async function lockSettings(db: Db, account: AccountId): Promise<void> {
  await touchSettings(db, { account });
  await touchPrivateKey(db, { account });
}

// PostgreSQL's strongest lock of a row: who adds something to a key waits as well. SQLite has one writer at a time.
const lockKeys = prepareQuery(ApiKey, (db, { account }: { account: AccountId }) => {
  const keys = db.selectFrom('api_key').select('id').where('account_id', '=', account).orderBy('id');
  return db.getExecutor().adapter instanceof PostgresAdapter ? keys.forUpdate() : keys;
});

/**
 * Makes all others wait who would change anything that an account has, until this transaction ends.
 * @param db a transaction
 */
export async function lockAllOf(db: Db, account: AccountId): Promise<void> {
  await lockAccount(db, account);
  await lockKeys(db, { account });
  await lockSettings(db, account);
}
