import { changeNumber, dayOf, unlimited } from '../database/changes-of-day.ts';
import { type Db, runQuery } from '../database/db.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
import type { BusinessEvents, Change } from '../observability/events.ts';

/** An event of an API key that somebody else than its owner caused. */
export interface KeyEvent {
  readonly name: keyof BusinessEvents & `api-key-${string}`;
  readonly accountId: AccountId;
  readonly keyId: number;
  readonly changes: readonly Change[];
}

/** Who caused events, and when. */
export interface Cause {
  readonly actor: 'operator' | 'scanner';
  readonly requestId: string;
  /** The reason for the owner; null: none. */
  readonly reason: string | null;
  readonly now: Date;
}

/** Writes events to the audit trails of the keys' accounts, in one statement. */
export async function writeKeyEvents(
  db: Db,
  events: readonly KeyEvent[],
  { actor, requestId, reason, now }: Cause,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ name, accountId, keyId, changes }) => ({
    account_id: accountId,
    actor,
    reason,
    action: name,
    target: keyId,
    request: requestId,
    details: changes.length === 0 ? null : JSON.stringify(changes),
    created_at: now,
    of_day: changeNumber(db.kysely, { account: accountId, counted: 0, most: unlimited, today: dayOf(now) }),
  }));
  await runQuery(db, ApiKey, db.kysely.insertInto('audit_event').values(rows));
}
