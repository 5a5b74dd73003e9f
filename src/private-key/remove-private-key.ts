import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, PrivateKey } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { noPrivateKey, type PrivateKeyStatus } from './private-key-status.ts';

const deletePrivateKey = prepareQuery(PrivateKey, (db, { account }: { account: AccountId }) =>
  db.deleteFrom('private_key').where('account_id', '=', account).returning('id'),
);

/** Deletes the caller's private key. If the caller has no private key, nothing changes. */
export async function removePrivateKey(context: OperationContext): Promise<PrivateKeyStatus> {
  const account = await findAccount(context);
  if (account === undefined) return noPrivateKey();
  return audited(context, async ({ db, events }) => {
    const [removed] = await deletePrivateKey(db, { account });
    if (removed) events('private-key-removed', { accountId: account });
    return noPrivateKey(account);
  });
}
