import { prepareQuery } from '../database/prepare-query.ts';
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
