import { prepareQuery } from '../database/prepare-query.ts';
import { Account, type AccountId } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { findAccount } from './find-account.ts';

const insertAccount = prepareQuery(Account, (db, { issuer, subject, now }: Caller & { now: Date }) =>
  db
    .insertInto('account')
    .values({ issuer, subject, created_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id'),
);

/** The caller's account, created where there is none; two first writes at once get the same one. */
export async function ensureAccount(context: OperationContext): Promise<AccountId> {
  const { caller, db } = context;
  const found = await findAccount(context);
  if (found !== undefined) return found;
  const [created] = await insertAccount(db, { ...caller, now: new Date() });
  // Where another first write was quicker, its account is there now.
  if (!created) return ensureAccount(context);
  context.events('account-created', { accountId: created.id });
  return created.id;
}
