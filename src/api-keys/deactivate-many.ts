import { changeNumber, dayOf, unlimited } from '../database/changes-of-day.ts';
import { type Db, isForPostgres, runQuery } from '../database/db.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
import type { BusinessEvents, Change } from '../observability/events.ts';

/**
 * Locks API keys, so that concurrent changes of these keys or their secrets wait. SQLite needs no lock, because a
 * transaction is its only writer.
 */
export async function lockKeys(db: Db, ids: readonly number[]): Promise<void> {
  if (!isForPostgres(db.kysely) || ids.length === 0) return;
  const keys = db.kysely.selectFrom('api_key').select('id').where('id', 'in', ids);
  await runQuery(db, ApiKey, keys.orderBy('id').forUpdate());
}

/** The change that a deactivation records. */
export const deactivated: Change = { field: 'is_active', from: true, to: false };

/**
 * Deactivates API keys, in one statement.
 * @returns the keys that were active, in the order of their accounts
 */
export async function deactivateMany(db: Db, ids: readonly number[], now: Date) {
  if (ids.length === 0) return [];
  const update = db.kysely
    .updateTable('api_key')
    .set({ is_active: false, deactivated_at: now })
    .where('id', 'in', ids)
    .where('is_active', '=', true)
    .returning(['id', 'account_id']);
  const rows = await runQuery(db, ApiKey, update);
  return rows.sort((one, other) => one.account - other.account || one.id - other.id);
}

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
