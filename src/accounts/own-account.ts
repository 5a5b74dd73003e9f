import type { ExpressionBuilder } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId, type Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { AccountHolder, Caller, OperationContext, Owner } from '../operations/context.ts';

/** The holder of a person's account. */
export const person = ({ issuer, subject }: Caller): AccountHolder => ({ issuer, subject, kind: 'person' });

/** A condition of a query that reads `account`: the account is that of a person, or of an organisation. */
const isHolder =
  ({ issuer, subject, kind }: AccountHolder) =>
  (account: ExpressionBuilder<Tables, 'account'>) =>
    account.and([
      account('account.issuer', '=', issuer),
      account('account.subject', '=', subject),
      account('account.kind', '=', kind),
    ]);

/** A condition of a query that reads `account`: the account is that of the operation's owner. */
export const isOwner: (owner: Owner) => ReturnType<typeof isHolder> = isHolder;

/** As {@link isOwner}, and the account is not blocked: the query finds nothing of a blocked account. */
export const ofOwner = (owner: Owner) => (account: ExpressionBuilder<Tables, 'account'>) =>
  account.and([isOwner(owner)(account), account('account.blocked_at', 'is', null)]);

/** Finds the account of a person or an organisation, blocked or not. */
export const selectAccount = prepareQuery(Account, (db, holder: AccountHolder) =>
  db.selectFrom('account').select(['id', 'blocked_at']).where(isHolder(holder)),
);

/** The error for an account that does not exist, or that the caller may not act for. */
export const accountNotFound = () => new GatewayError('NOT_FOUND', 'Account not found');

/** The error for a blocked account. Another token would not help, so the answer has no challenge. */
export const accountBlocked = (accountId: AccountId) =>
  new GatewayError('FORBIDDEN', 'This account is blocked', { reason: 'account-blocked', accountId });

/** The error for a server where only somebody with an account can be. */
const noAccount = () =>
  new GatewayError('FORBIDDEN', 'A server has no account', { reason: 'server-without-account' });

/** Whether the caller is a server that asks for itself, and so for nobody. */
const isForNobody = ({ server, actingFor }: OperationContext): boolean =>
  server !== undefined && actingFor === undefined;

/**
 * Finds the owner's account; undefined for a person who never wrote anything, and for a server that acts for nobody.
 * Writes nothing.
 *
 * The queries for the owner's data find nothing if the account is blocked. An operation that found nothing calls
 * this function for the reason, so only such an operation needs a second query.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked; `NOT_FOUND` if a server acts for it, and it was erased
 */
export async function findAccount(context: OperationContext): Promise<AccountId | undefined> {
  const { owner, actingFor, db } = context;
  if (isForNobody(context)) return undefined;
  const [account] = await selectAccount(db, owner);
  if (account?.blockedAt) throw accountBlocked(account.id);
  // The person may have another account since.
  if (actingFor !== undefined && account?.id !== actingFor) throw accountNotFound();
  return account?.id;
}

/**
 * Makes sure that an owner without an account is somebody who never wrote anything.
 * @throws {GatewayError} `NOT_FOUND` if a server acts for an account that was erased meanwhile
 */
export function assertNeverWrote({ actingFor }: OperationContext): void {
  if (actingFor !== undefined) throw accountNotFound();
}

const insertAccount = prepareQuery(
  Account,
  (db, { issuer, subject, kind, now }: AccountHolder & { now: Date }) =>
    db
      .insertInto('account')
      .values({ issuer, subject, kind, created_at: now })
      .onConflict((conflict) => conflict.columns(['issuer', 'subject', 'kind']).doNothing())
      .returning('id'),
);

/**
 * Returns the owner's account. If it is missing, creates it; two concurrent first writes get the same account.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked, and for a server
 */
export async function ensureAccount(context: OperationContext): Promise<AccountId> {
  if (isForNobody(context)) throw noAccount();
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

/** The context in which a member of an organisation, who acts for it, acts for themselves. */
const asMember = (context: OperationContext): OperationContext => ({
  ...context,
  owner: person(context.caller) as Owner,
  actingFor: undefined,
  member: undefined,
});

/**
 * Returns the account of the member who acts for an organisation, as {@link ensureAccount} does.
 * @throws {GatewayError} `FORBIDDEN` if the member's account is blocked
 */
export const ensureMember = (context: OperationContext): Promise<AccountId> =>
  ensureAccount(asMember(context));

/**
 * Creates an account, unless it exists; undefined if it does.
 * @param holder whose account, in the provider's name; the owner's own if missing
 */
export async function createAccount(
  { owner, db, events }: OperationContext,
  holder?: AccountHolder,
): Promise<AccountId | undefined> {
  const [created] = await insertAccount(db, { ...(holder ?? owner), now: new Date() });
  const by = holder ? { isProvider: true } : {};
  if (created) events('account-created', { accountId: created.id, ...by });
  return created?.id;
}
