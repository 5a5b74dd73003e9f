import type { EntityName } from '@mikro-orm/sql';
import { forNoKeyUpdate, forUpdate } from '../database/conditions.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account, type AccountId, ApiKey, AutomationSettings, PrivateKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { createAccount, findAccount } from './own-account.ts';

const lockStoredAccount = prepareQuery(Account, (db, { id }: Pick<Account, 'id'>) =>
  forNoKeyUpdate(
    db,
    db
      .selectFrom('account')
      .where('id', '=', id)
      .select(['id', 'plan', 'overrides', 'entitled_at', 'erased_at']),
  ),
);

/**
 * Locks an account: other transactions that lock it wait until this transaction ends.
 * @param db a transaction
 * @returns what the provider grants the account, and whether it is erased; undefined for an unknown account
 */
export async function lockAccount(db: Db, id: AccountId) {
  const [locked] = await lockStoredAccount(db, { id });
  return locked;
}

const lockOf = (entity: EntityName, table: 'automation_settings' | 'private_key') =>
  prepareQuery(entity, (db, { account }: { account: AccountId }) =>
    forNoKeyUpdate(db, db.selectFrom(table).where('account_id', '=', account).select('id')),
  );

const lockStoredSettings = lockOf(AutomationSettings, 'automation_settings');
const lockStoredPrivateKey = lockOf(PrivateKey, 'private_key');

/** Locks the settings and the private key of an account that is already locked: concurrent changes wait. */
export async function lockSettings(db: Db, account: AccountId): Promise<void> {
  await lockStoredSettings(db, { account });
  await lockStoredPrivateKey(db, { account });
}

// PostgreSQL's strongest lock of a row also stops transactions that add something to the key.
const lockKeys = prepareQuery(ApiKey, (db, { account }: { account: AccountId }) => {
  const keys = db.selectFrom('api_key').select('id').where('account_id', '=', account).orderBy('id');
  return forUpdate(db, keys);
});

/**
 * Locks everything that an account owns: concurrent changes wait until this transaction ends.
 * @param db a transaction
 */
async function lockAllOf(db: Db, account: AccountId): Promise<void> {
  await lockAccount(db, account);
  await lockKeys(db, { account });
  await lockSettings(db, account);
}

const lockStoredApiKey = prepareQuery(ApiKey, (db, { account, id }: Pick<ApiKey, 'account' | 'id'>) =>
  forNoKeyUpdate(
    db,
    db.selectFrom('api_key').where('id', '=', id).where('account_id', '=', account).select('id'),
  ),
);

/**
 * Locks the API key, or the account's settings and private key: concurrent changes wait until this transaction ends.
 */
async function lockOwned(db: Db, account: AccountId, keyId: number | undefined): Promise<void> {
  // Before the first row exists, there is no row to lock. So this locks the account.
  await lockAccount(db, account);
  if (keyId !== undefined) return void (await lockStoredApiKey(db, { account, id: keyId }));
  await lockSettings(db, account);
}

/**
 * Runs a check of something that the caller owns or that an operator is about to change. The checked state stays as
 * it is until this transaction ends.
 * @param context the context of a transaction
 * @param changed the account that an operator is about to change, or the caller's API key; if both are missing, the
 *   caller's settings or private key
 */
export async function checkOwned(
  context: OperationContext,
  changed: {
    readonly accountId?: number | undefined;
    readonly keyId?: number | undefined;
  },
  check: () => Promise<void>,
): Promise<void> {
  const { accountId, keyId } = changed;
  if (accountId !== undefined) {
    await lockAllOf(context.db, accountId as AccountId);
    return check();
  }
  const account = await findAccount(context);
  if (account !== undefined) await lockOwned(context.db, account, keyId);
  await check();
  // If two requests of a person without an account run at once, one creates the account; the other one then has an
  // account too.
  if (account === undefined && (await createAccount(context)) === undefined)
    await checkOwned(context, changed, check);
}
