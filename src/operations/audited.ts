import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, AuditEvent } from '../database/tables.ts';
import type { BusinessEvents, Change } from '../observability/events.ts';
import type { OperationContext } from './context.ts';

interface NewEvent {
  readonly account: AccountId;
  readonly action: string;
  readonly target: number | null;
  readonly requestId: string;
  readonly address: string | null;
  readonly details: string | null;
  readonly now: Date;
}

const insertEvent = prepareQuery(AuditEvent, (db, event: NewEvent) =>
  db.insertInto('audit_event').values({
    account_id: event.account,
    action: event.action,
    target: event.target,
    request: event.requestId,
    address: event.address,
    details: event.details,
    created_at: event.now,
  }),
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
 * change tells its context's `events` is what is written; it is logged as well, once it is certain. Within another
 * change it becomes a part of that.
 * @param run the change, on a context of its own: all that it reads and writes must go through that one's `db`
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
    for (const one of pending) await write(db, context, one, { last: one === pending.at(-1) });
    return { changed, pending };
  });
  for (const { name, event } of pending) context.events(name, event);
  return changed;
}

const write = (
  db: Db,
  { requestSource }: OperationContext,
  { name, event, changes }: Pending,
  place: { readonly last: boolean },
) => {
  const row: NewEvent = {
    account: event.accountId,
    action: name,
    target: 'keyId' in event ? event.keyId : null,
    requestId: requestSource.id,
    address: requestSource.address,
    details: changes.length === 0 ? null : JSON.stringify(changes),
    now: new Date(),
  };
  return insertEvent(db, row, place);
};
