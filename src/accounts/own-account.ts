import type { ExpressionBuilder } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId, type Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

/** A condition of a query that reads `account`: the account is the caller's. */
export const isCaller =
  ({ issuer, subject }: Caller) =>
  (account: ExpressionBuilder<Tables, 'account'>) =>
    account.and([account('account.issuer', '=', issuer), account('account.subject', '=', subject)]);

/** As {@link isCaller}, and the account is not blocked: a blocked person's query finds nothing. */
export const ofCaller = (caller: Caller) => (account: ExpressionBuilder<Tables, 'account'>) =>
  account.and([isCaller(caller)(account), account('account.blocked_at', 'is', null)]);

/** Finds an account, blocked or not. */
export const selectAccount = prepareQuery(Account, (db, caller: Caller) =>
  db.selectFrom('account').select(['id', 'blocked_at']).where(isCaller(caller)),
);

/** The error for a blocked account. Another token would not help, so the answer has no challenge. */
export const accountBlocked = (accountId: AccountId) =>
  new GatewayError('FORBIDDEN', 'This account is blocked', { reason: 'account-blocked', accountId });

/** The error for a server where only somebody with an account can be. */
const noAccount = () =>
  new GatewayError('FORBIDDEN', 'A server has no account', { reason: 'server-without-account' });

/**
 * Finds the caller's account; undefined for a person who never wrote anything, and for a server. Writes nothing.
 *
 * The queries for the caller's data find nothing if the account is blocked. An operation that found nothing calls
 * this function for the reason, so only such an operation needs a second query.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked
 */
export async function findAccount({ caller, server, db }: OperationContext): Promise<AccountId | undefined> {
  if (server !== undefined) return undefined;
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

/**
 * Returns the caller's account. If it is missing, creates it; two concurrent first writes get the same account.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked, and for a server
 */
export async function ensureAccount(context: OperationContext): Promise<AccountId> {
  if (context.server !== undefined) throw noAccount();
  const found = await findAccount(context);
  // If another first write came first, its account exists now.
  return found ?? (await createAccount(context)) ?? ensureAccount(context);
}

/**
 * Returns the account of the operator who calls, as {@link ensureAccount} does; undefined if a server does what an
 * operator does.
 */
export const ensureOperator = async (context: OperationContext): Promise<AccountId | undefined> =>
  context.server === undefined ? ensureAccount(context) : undefined;

/**
 * Creates an account, unless it exists; undefined if it does.
 * @param owner whose account; anybody's but the caller's is created in the provider's name
 */
export async function createAccount(
  { caller, db, events }: OperationContext,
  owner: Caller = caller,
): Promise<AccountId | undefined> {
  const [created] = await insertAccount(db, { ...owner, now: new Date() });
  const by = owner === caller ? {} : { isProvider: true };
  if (created) events('account-created', { accountId: created.id, ...by });
  return created?.id;
}
