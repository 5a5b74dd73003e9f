import type { OperationContext } from '../operation.ts';
import { Account, type AccountId } from './account.entity.ts';
import { findAccount } from './find-account.ts';

/** The caller's account, created where there is none; two first writes at once get the same one. */
export async function ensureAccount(context: OperationContext): Promise<AccountId> {
  const found = await findAccount(context);
  if (found !== undefined) return found;
  const { issuer, subject } = context.caller;
  await context.em.upsert(
    Account,
    { issuer, subject },
    { onConflictFields: ['issuer', 'subject'], onConflictAction: 'ignore' },
  );
  const { id } = await context.em.findOneOrFail(Account, { issuer, subject }, { fields: ['id'] });
  context.caller.accountId = id;
  context.events('account-created', { accountId: id });
  return id;
}
