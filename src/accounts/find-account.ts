import type { OperationContext } from '../operation.ts';
import { Account, type AccountId } from './account.entity.ts';

/** The caller's account, or undefined for somebody who never wrote anything here. Writes nothing. */
export async function findAccount({ caller, em }: OperationContext): Promise<AccountId | undefined> {
  const { issuer, subject } = caller;
  if (caller.accountId === undefined) {
    const account = await em.findOne(Account, { issuer, subject }, { fields: ['id'] });
    if (account) caller.accountId = account.id;
  }
  return caller.accountId;
}
