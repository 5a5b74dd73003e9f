import type { Expression, Kysely } from 'kysely';
import {
  type ChangeNumber,
  changeNumber,
  dayOf,
  millisecondsPerDay,
  unlimited,
} from '../database/changes-of-day.ts';
import { forKeyShare } from '../database/conditions.ts';
import { type Db, missingColumn, prepareQuery } from '../database/db.ts';
import { type AccountId, AuditEvent, type Tables } from '../database/tables.ts';
import { GatewayError, serviceUnavailable } from '../errors.ts';
import type { BusinessEvents, Change } from '../observability/events.ts';
import { detailsOf } from './changes.ts';
import type { OperationContext } from './context.ts';
import { serverName } from './server-name.ts';

interface NewEvent extends ChangeNumber {
  /** Whether the account may be blocked or erased by now. */
  readonly inAnyState: boolean;
  readonly actor: string | null;
  readonly server: string | null;
  readonly other: AccountId | null;
  readonly reason: string | null;
  readonly action: string;
  readonly target: number | null;
  readonly requestId: string;
  readonly address: string | null;
  readonly details: string | null;
  readonly now: Date;
}

const prepareInsert = (accountOf: (db: Kysely<Tables>, id: AccountId) => AccountId | Expression<AccountId>) =>
  prepareQuery(AuditEvent, (db, event: NewEvent) =>
    db.insertInto('audit_event').values({
      account_id: accountOf(db, event.account),
      actor: event.actor,
      server: event.server,
      other_id: event.other,
      reason: event.reason,
      action: event.action,
      target: event.target,
      request: event.requestId,
      address: event.address,
      details: event.details,
      created_at: event.now,
      of_day: changeNumber(db, event),
    }),
  );

/** Inserts the event of an action of the provider's side on an account, whatever the account's state. */
const insertInAnyState = prepareInsert((_db, id) => id);

// If the account was blocked or erased in the meantime, the subquery gives no id, so the statement and the whole
// change fail. On PostgreSQL, it first waits for whoever is erasing the account.
const insertOwn = prepareInsert((db, id) => {
  const account = db
    .selectFrom('account')
    .where('id', '=', id)
    .where('blocked_at', 'is', null)
    .where('erased_at', 'is', null)
    .select('id');
  return forKeyShare(db, account).$asScalar();
});

/** A business event that waits for its transaction. */
type Pending = {
  [Name in keyof BusinessEvents]: {
    readonly name: Name;
    readonly event: BusinessEvents[Name];
    readonly changes: readonly Change[];
  };
}[keyof BusinessEvents];

/**
 * Makes a change and records its audit events in the same transaction, so neither exists without the other. The audit
 * trail gets the events that the change passes to its context's `events`; the log gets the same events after the
 * commit. An operator's action is recorded twice: in the trail of the account concerned, and in the operator's own. A
 * change within another change becomes part of the outer one.
 * @param run the change; it must use the `db` of its own context for all reads and writes
 * @throws what the answer would throw for the result; then nothing was changed
 * @throws {GatewayError} `SERVICE_UNAVAILABLE` if the account was blocked or erased after the operation found it;
 *   another attempt then gets the right error. `TOO_MANY_REQUESTS` if the account has made all changes of this day
 */
export async function audited<Result>(
  context: OperationContext,
  run: (context: OperationContext) => Promise<Result>,
): Promise<Result> {
  const change = async (inner: OperationContext) => {
    const result = await run(inner);
    if (result != null) context.assertAnswerable?.(result);
    return result;
  };
  // The outer change records the events of this inner one.
  if (context.db.isTransaction) return change(context);
  let pending: Pending[] = [];
  const attempt = async (db: Db) => {
    pending = [];
    const events: OperationContext['events'] = (name, event, changes = []) => {
      pending.push({ name, event, changes } as Pending);
    };
    const inner = { ...context, db, events };
    await context.precondition?.(inner);
    const changed = await change(inner);
    const done = pending;
    pending = [];
    const member = done.length > 0 ? await context.member?.ensureAccount(inner) : undefined;
    // The account of the member comes first.
    pending.push(...done);
    const rows = pending.flatMap((one) => rowsOf(context, member, one));
    // Every transaction writes in the order of the accounts. So two operators who change each other's accounts wait
    // for each other once, and cannot deadlock.
    rows.sort((one, other) => one.account - other.account);
    for (const row of rows) await write(db, row, { last: row === rows.at(-1) });
    return changed;
  };
  try {
    const changed = await context.db.transaction(attempt);
    for (const { name, event } of pending) context.events(name, event);
    return changed;
  } catch (error) {
    // It may have been stored all the same, without an answer.
    for (const { event } of pending) context.services.doorGrace?.noteChange(event);
    throw error;
  }
}

/** The id of the API key or webhook endpoint that the event concerns; null for any other event. */
function targetOf(event: Pending['event']): number | null {
  if ('keyId' in event) return event.keyId;
  return 'endpointId' in event ? event.endpointId : null;
}

/**
 * The changes that take rights away. They are never refused for their number: each needs an earlier change that gave
 * the right, and whoever has lost a key must be able to end it.
 */
const endings: ReadonlySet<string> = new Set<keyof BusinessEvents>([
  'api-key-deactivated',
  'api-key-paused',
  'private-key-removed',
]);

/**
 * Makes sure that a change is one of the account that a server acts for: the person may have another one since.
 * @throws {GatewayError} `SERVICE_UNAVAILABLE`
 */
function assertSame(account: AccountId, actingFor: AccountId): void {
  if (account !== actingFor) throw serviceUnavailable('account-changed');
}

/**
 * The rows of an event: one for the account's owner or a server of the provider; two for the action of an operator, or
 * of a member of an organisation, which is in their own trail too.
 * @param member the account of the member who acts for an organisation; undefined: nobody does
 */
function rowsOf(
  context: OperationContext,
  member: AccountId | undefined,
  { name, event, changes }: Pending,
): NewEvent[] {
  const { requestSource, services, server, actingFor } = context;
  const { accountId: account, operatorId: operator, reason = null } = event;
  // A server has no trail of its own.
  if (account === undefined) return [];
  const now = new Date();
  const common = {
    action: name,
    target: targetOf(event),
    requestId: requestSource.id,
    details: detailsOf(changes),
    now,
    today: dayOf(now),
    counted: 0,
    most: unlimited,
    reason,
    server: server ?? null,
    inAnyState: true,
  };
  const most = endings.has(name) ? unlimited : services.settings.changesPerDay;
  // The addresses of operators and of the provider's servers are shown to no one else.
  const byProvider = { ...common, account, actor: 'provider', other: null, address: null };
  if (actingFor !== undefined) {
    assertSame(account, actingFor);
    return [{ ...byProvider, server: serverName(context), inAnyState: false, counted: 1, most }];
  }
  if (server !== undefined || ('isProvider' in event && event.isProvider)) return [byProvider];
  const { address, isKeyItself } = requestSource;
  const actor = isKeyItself ? 'key' : null;
  const own = { ...common, actor, address, account, other: null, inAnyState: false };
  // The member's address is for the member's own trail. Counted for both: else a person in many organisations could make as many times the changes of a day.
  if (member !== undefined && member !== account)
    return [
      { ...own, actor: 'member', other: member, address: null, counted: 1, most },
      { ...own, account: member, other: account, counted: 1, most },
    ];
  if (operator === undefined) return [{ ...own, counted: 1, most }];
  if (operator === account) return [own];
  const done = { ...common, account, actor: 'operator', other: operator, address: null };
  return [done, { ...own, account: operator, other: account }];
}

/**
 * Makes the error for an account that has made all changes of this day. The rest of the day is by this process's clock:
 * the failed INSERT tells nothing of the database's.
 */
function tooManyChanges(accountId: AccountId, most: number): GatewayError {
  const seconds = Math.ceil((millisecondsPerDay - (Date.now() % millisecondsPerDay)) / 1000);
  return new GatewayError('TOO_MANY_REQUESTS', `You may make at most ${most} changes in a day (UTC)`, {
    reason: 'changes-per-day',
    accountId,
    headers: { 'retry-after': `${seconds}` },
  });
}

async function write(db: Db, row: NewEvent, place: { readonly last: boolean }): Promise<void> {
  try {
    await (row.inAnyState ? insertInAnyState : insertOwn)(db, row, place);
  } catch (error) {
    const missing = missingColumn(error);
    if (missing === undefined) throw error;
    throw missing === 'of_day'
      ? tooManyChanges(row.account, row.most)
      : serviceUnavailable('account-changed');
  }
}
