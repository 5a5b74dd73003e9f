import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { lockStoredEndpoint } from '../webhooks/endpoints.ts';
import { createAccount } from './ensure-account.ts';
import { findAccount } from './find-account.ts';
import { lockAccount, lockAllOf, lockSettings } from './lock-account.ts';

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
