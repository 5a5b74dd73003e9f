import { forUpdate } from '../database/conditions.ts';
import { type Db, runQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { noPauseColumns } from './pause.ts';

/** Locks API keys, so that concurrent changes of these keys or their secrets wait. */
export async function lockKeys(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const keys = db.kysely.selectFrom('api_key').select('id').where('id', 'in', ids).orderBy('id');
  await runQuery(db, ApiKey, forUpdate(db.kysely, keys));
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
    .set({ is_active: false, deactivated_at: now, ...noPauseColumns })
    .where('id', 'in', ids)
    .where('is_active', '=', true)
    .returning(['id', 'account_id']);
  const rows = await runQuery(db, ApiKey, update);
  return rows.sort((one, other) => one.account - other.account || one.id - other.id);
}
