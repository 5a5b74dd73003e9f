import type { Expression, Kysely } from 'kysely';
import { type Db, isMissingValue, prepareQuery } from '../database/db.ts';
import { type AccountId, AuditEvent, type Tables } from '../database/tables.ts';
import { serviceUnavailable } from '../errors.ts';
import type { BusinessEvents, Change } from '../observability/events.ts';
import type { OperationContext } from './context.ts';

interface NewEvent {
  readonly account: AccountId;
  readonly actor: string | null;
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
      other_id: event.other,
      reason: event.reason,
      action: event.action,
      target: event.target,
      request: event.requestId,
      address: event.address,
      details: event.details,
      created_at: event.now,
    }),
  );

/** Inserts the event of an operator's action on an account, whatever the account's state. */
const insertByOperator = prepareInsert((_db, id) => id);

// If the account was blocked or erased in the meantime, the subquery gives no id, so the statement and the whole
// change fail.
const insertOwn = prepareInsert((db, id) =>
  db
    .selectFrom('account')
    .where('id', '=', id)
    .where('blocked_at', 'is', null)
    .where('erased_at', 'is', null)
    .select('id')
    .$asScalar(),
);

/** A business event that waits for its transaction. */
type Pending = {
  [Name in keyof BusinessEvents]: {
    readonly name: Name;
    readonly event: BusinessEvents[Name];
    readonly changes: readonly Change[];
  };
}[keyof BusinessEvents];

/**
 * Lists the members that differ between two states. Every member must be JSON.
 * `{ name: "a" }`, `{ name: "b" }` → `[{ field: "name", from: "a", to: "b" }]`
 */
export function changesOf<State extends object>(from: State, to: State): Change[] {
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return (Object.keys(to) as (keyof State & string)[])
    .filter((field) => text(from[field]) !== text(to[field]))
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
}

/**
 * Makes a change and records its audit events in the same transaction, so neither exists without the other. The audit
 * trail gets the events that the change passes to its context's `events`; the log gets the same events after the
 * commit. An operator's action is recorded twice: in the trail of the account concerned, and in the operator's own. A
 * change within another change becomes part of the outer one.
 * @param run the change; it must use the `db` of its own context for all reads and writes
 * @throws {GatewayError} `SERVICE_UNAVAILABLE` if the account was blocked or erased after the operation found it;
 *   another attempt then gets the right error
 */
export async function audited<Result>(
  context: OperationContext,
  run: (context: OperationContext) => Promise<Result>,
): Promise<Result> {
  // The outer change records the events of this inner one.
  if (context.db.isTransaction) return run(context);
  const { changed, pending } = await context.db.transaction(async (db) => {
    const pending: Pending[] = [];
    const events: OperationContext['events'] = (name, event, changes = []) => {
      pending.push({ name, event, changes } as Pending);
    };
    const inner = { ...context, db, events };
    await context.precondition?.(inner);
    const changed = await run(inner);
    const rows = pending.flatMap((one) => rowsOf(context, one));
    // Every transaction writes in the order of the accounts. So two operators who change each other's accounts wait
    // for each other once, and cannot deadlock.
    rows.sort((one, other) => one.account - other.account);
    for (const row of rows) await write(db, row, { last: row === rows.at(-1) });
    return { changed, pending };
  });
  for (const { name, event } of pending) context.events(name, event);
  return changed;
}

/** The id of the API key or webhook endpoint that the event concerns; null for any other event. */
function targetOf(event: Pending['event']): number | null {
  if ('keyId' in event) return event.keyId;
  return 'endpointId' in event ? event.endpointId : null;
}

/** The rows of an event: one for the account's owner, or two for an operator's action. */
function rowsOf({ requestSource }: OperationContext, { name, event, changes }: Pending): NewEvent[] {
  const { accountId: account, operatorId: operator, reason = null } = event;
  const common = {
    action: name,
    target: targetOf(event),
    requestId: requestSource.id,
    details: changes.length === 0 ? null : JSON.stringify(changes),
    now: new Date(),
    reason,
  };
  const { address, isKeyItself } = requestSource;
  const own = { ...common, actor: isKeyItself ? 'key' : null, address };
  if (operator === undefined || operator === account) return [{ ...own, account, other: null }];
  // An operator's IP address is shown to no one else.
  const done = { ...common, account, actor: 'operator', other: operator, address: null };
  return [done, { ...own, account: operator, other: account }];
}

async function write(db: Db, row: NewEvent, place: { readonly last: boolean }): Promise<void> {
  try {
    await (row.actor === 'operator' ? insertByOperator : insertOwn)(db, row, place);
  } catch (error) {
    throw isMissingValue(error) ? serviceUnavailable('account-changed', error) : error;
  }
}
