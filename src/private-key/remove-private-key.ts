import { findAccount } from '../accounts/find-account.ts';
import { audited } from '../audit/audited.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, PrivateKey } from '../database/tables.ts';
import type { OperationContext } from '../operation.ts';
import { noPrivateKey, type PrivateKeyStatus } from './private-key-status.ts';

const deletePrivateKey = prepareQuery(PrivateKey, (db, { account }: { account: AccountId }) =>
  db.deleteFrom('private_key').where('account_id', '=', account).returning('id'),
);

/** Forgets the caller's private key; where there is none, nothing changes. */
export async function removePrivateKey(context: OperationContext): Promise<PrivateKeyStatus> {
  const account = await findAccount(context);
  if (account === undefined) return noPrivateKey();
  return audited(context, async ({ db, events }) => {
    const [removed] = await deletePrivateKey(db, { account });
    if (removed) events('private-key-removed', { accountId: account });
    return noPrivateKey(account);
  });
}
