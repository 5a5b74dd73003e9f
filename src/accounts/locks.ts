import type { EntityName } from '@mikro-orm/sql';
import { PostgresAdapter } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account, type AccountId, ApiKey, AutomationSettings, PrivateKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { lockStoredEndpoint } from '../webhooks/endpoints.ts';
import { createAccount, findAccount } from './own-account.ts';

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
async function lockSettings(db: Db, account: AccountId): Promise<void> {
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

// An UPDATE that changes nothing locks its row on both databases, as in `lockAccount`.
const touchApiKey = prepareQuery(ApiKey, (db, { account, id }: Pick<ApiKey, 'account' | 'id'>) =>
  db
    .updateTable('api_key')
    .set((column) => ({ id: column.ref('id') }))
    .where('id', '=', id)
    .where('account_id', '=', account),
);

/** Makes all others wait who would change the same until this transaction ends. */
async function lockOwned(db: Db, account: AccountId, keyId: number | undefined): Promise<void> {
  // Of two who make the first of something, there is no row yet to wait at.
  await lockAccount(db, account);
  if (keyId !== undefined) return void (await touchApiKey(db, { account, id: keyId }));
  await lockSettings(db, account);
}

/**
 * Checks what the caller has, or an operator wants to change, in such a way that it stays as it was checked until this
 * transaction ends.
 * @param context that of a transaction
 * @param changed the account or the webhook endpoint that an operator is about to change, or the caller's API key; none
 *   of them: settings or the private key are
 */
export async function checkOwned(
  context: OperationContext,
  changed: {
    readonly accountId?: number | undefined;
    readonly keyId?: number | undefined;
    readonly endpointId?: number | undefined;
  },
  check: () => Promise<void>,
): Promise<void> {
  const { accountId, keyId, endpointId } = changed;
  if (endpointId !== undefined) {
    await lockStoredEndpoint(context.db, endpointId);
    return check();
  }
  if (accountId !== undefined) {
    await lockAllOf(context.db, accountId as AccountId);
    return check();
  }
  const account = await findAccount(context);
  if (account !== undefined) await lockOwned(context.db, account, keyId);
  await check();
  // Of two who have no account yet, one makes it, and the other has one now.
  if (account === undefined && (await createAccount(context)) === undefined)
    await checkOwned(context, changed, check);
}
