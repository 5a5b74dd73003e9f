import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

const selectAccount = prepareQuery(Account, (db, { issuer, subject }: Caller) =>
  db
    .selectFrom('account')
    .select(['id', 'blocked_at'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject),
);

/** An operator has blocked the caller's account. Another token would not help, so there is no challenge. */
export const accountBlocked = (accountId: AccountId) =>
  new GatewayError('FORBIDDEN', 'This account is blocked', { reason: 'account-blocked', accountId });

/**
 * The caller's account, or undefined for somebody who never wrote anything here. Writes nothing. The queries for what
 * the caller has find nothing where the account is blocked: whoever finds nothing asks here why, and nobody else asks
 * the database once more.
 * @throws {GatewayError} `FORBIDDEN` where it is blocked
 */
export async function findAccount({ caller, db }: OperationContext): Promise<AccountId | undefined> {
  const [account] = await selectAccount(db, caller);
  if (account?.blockedAt) throw accountBlocked(account.id);
  return account?.id;
}

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
