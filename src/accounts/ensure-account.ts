import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { OperationContext } from '../operation.ts';
import { Account, type AccountId } from './account.entity.ts';
import { findAccount } from './find-account.ts';

/** The caller's account, created where there is none; two first writes at once get the same one. */
export async function ensureAccount(context: OperationContext): Promise<AccountId> {
  const found = await findAccount(context);
  if (found !== undefined) return found;
  const { issuer, subject } = context.caller;
  try {
    const id = (await context.em.insert(Account, { issuer, subject, createdAt: new Date() })) as AccountId;
    context.caller.accountId = id;
    context.events('account-created', { accountId: id });
    return id;
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    // Another first write was quicker.
    const { id } = await context.em.findOneOrFail(Account, { issuer, subject }, { fields: ['id'] });
    context.caller.accountId = id;
    return id;
  }
}
