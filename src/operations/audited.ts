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

/** Of what an operator did to an account, whatever state that is in. */
const insertByOperator = prepareInsert((_db, id) => id);

// Of an account that was blocked or erased meanwhile there is no id: the statement fails, and with it the change.
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

/** What differs between two states, of which each member is JSON. */
export function changesOf<State extends object>(from: State, to: State): Change[] {
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return (Object.keys(to) as (keyof State & string)[])
    .filter((field) => text(from[field]) !== text(to[field]))
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
}

/**
 * Makes a change and writes who made it, in one transaction: of the two, neither is there without the other. What the
 * change tells its context's `events` is what is written; it is logged as well, once it is certain. What an operator
 * does is written down twice: for the account that it was done to, and for the operator's own. Within another change it
 * becomes a part of that.
 * @param run the change, on a context of its own: all that it reads and writes must go through that one's `db`
 * @throws {GatewayError} `SERVICE_UNAVAILABLE` where the account was blocked or erased since the operation has found it:
 *   another attempt learns that
 */
export async function audited<Result>(
  context: OperationContext,
  run: (context: OperationContext) => Promise<Result>,
): Promise<Result> {
  // A part of another change is recorded with that one.
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
    // Two operators at each other's accounts wait for each other once, and not in a circle.
    rows.sort((one, other) => one.account - other.account);
    for (const row of rows) await write(db, row, { last: row === rows.at(-1) });
    return { changed, pending };
  });
  for (const { name, event } of pending) context.events(name, event);
  return changed;
}

/** What was changed that has an id of its own. */
function targetOf(event: Pending['event']): number | null {
  if ('keyId' in event) return event.keyId;
  return 'endpointId' in event ? event.endpointId : null;
}

/** An event as it is written down: by its account's owner, or by an operator and for both. */
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
  // Where operators are is nobody else's business.
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
