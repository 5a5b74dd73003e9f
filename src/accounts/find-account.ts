import { prepareQuery } from '../database/prepare-query.ts';
import { Account, type AccountId } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

const selectAccount = prepareQuery(Account, (db, { issuer, subject }: Caller) =>
  db.selectFrom('account').select('id').where('issuer', '=', issuer).where('subject', '=', subject),
);

/** The caller's account, or undefined for somebody who never wrote anything here. Writes nothing. */
export async function findAccount({ caller, db }: OperationContext): Promise<AccountId | undefined> {
  const [account] = await selectAccount(db, caller);
  return account?.id;
}
