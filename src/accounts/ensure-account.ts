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
  const found = await findAccount(context);
  // Where another first write was quicker, its account is there now.
  return found ?? (await createAccount(context)) ?? ensureAccount(context);
}

/** Creates the caller's account; undefined where another first write was quicker. */
export async function createAccount({
  caller,
  db,
  events,
}: OperationContext): Promise<AccountId | undefined> {
  const [created] = await insertAccount(db, { ...caller, now: new Date() });
  if (created) events('account-created', { accountId: created.id });
  return created?.id;
}
