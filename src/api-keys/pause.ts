import { type Db, prepareQuery, runQuery } from '../database/db.ts';
import { ApiKey, type PausedBy } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Change } from '../observability/events.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationContext } from '../operations/context.ts';
import { type ApiKeyRecord, isUsable, returnedOthers, unusable } from './own-api-key.ts';

/** Since when a key is paused, by whom and why; all null: it is not paused. */
export type Pause = Pick<ApiKey, 'pausedAt' | 'pausedBy' | 'pauseReason'>;

/** The pause of a key that is not paused. */
export const noPause: Pause = { pausedAt: null, pausedBy: null, pauseReason: null };

const columnsOf = ({ pausedAt, pausedBy, pauseReason }: Pause) => ({
  paused_at: pausedAt,
  paused_by: pausedBy,
  pause_reason: pauseReason,
});

/** The columns of {@link noPause}. */
export const noPauseColumns = columnsOf(noPause);

/** Who pauses or resumes a key, and why. */
export type PauseActor =
  | { readonly by: 'owner'; readonly reason: string | null }
  | { readonly by: 'operator'; readonly reason: string; readonly operatorId: ApiKey['account'] | undefined };

const updatePause = prepareQuery(ApiKey, (db, changed: Pick<ApiKey, 'id'> & Pause) =>
  db
    .updateTable('api_key')
    .set(columnsOf(changed))
    .where('id', '=', changed.id)
    .returningAll()
    .returning(returnedOthers),
);

/** Changes the pause of a locked key, and records it. */
async function setPause(
  { db, events }: OperationContext,
  name: 'api-key-paused' | 'api-key-resumed',
  before: ApiKeyRecord,
  pause: Pause,
  actor: PauseActor,
): Promise<ApiKeyRecord> {
  const [row] = await updatePause(db, { id: before.id, ...pause });
  if (!row) throw new Error('A locked key is gone');
  const changes = changesOf(columnsOf(before), columnsOf(row));
  const about = { accountId: before.account, keyId: before.id };
  if (actor.by === 'owner') events(name, about, changes);
  else {
    const { operatorId, reason } = actor;
    // The event has the operator's reason.
    const others = changes.filter(({ field }) => field !== 'pause_reason');
    events(name, { ...about, operatorId, reason }, others);
  }
  return row;
}

/** The changes that a pause by {@link pauseLeaked} records. */
export const pausedByScanner = (before: Pause, now: Date): Change[] =>
  changesOf(
    columnsOf(before),
    columnsOf({ ...noPause, pausedAt: before.pausedAt ?? now, pausedBy: 'scanner' }),
  );

/**
 * Pauses API keys that were found in public, in one statement. It takes over the pause of an owner, who then learns of
 * it before they resume the key.
 */
export async function pauseLeaked(db: Db, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const pause = db.kysely
    .updateTable('api_key')
    .set({
      paused_at: ({ fn, val }) => fn.coalesce('paused_at', val(now)),
      paused_by: 'scanner',
      pause_reason: null,
    })
    .where('id', 'in', ids)
    .where('is_active', '=', true);
  await runQuery(db, ApiKey, pause);
}

/** Who paused a key; null if it is not paused. An unknown value in the database counts as an operator. */
export function pauserOf({ pausedAt, pausedBy }: Pause): PausedBy | null {
  if (pausedAt === null) return null;
  return pausedBy === 'owner' || pausedBy === 'scanner' ? pausedBy : 'operator';
}

/**
 * Pauses a key. A paused key stays as it is, but an operator takes over the pause of others, so that these cannot end it.
 * @param context the context of a transaction
 * @param before the key, locked
 * @throws {GatewayError} `CONFLICT` for an inactive or expired key
 */
export async function pause(
  context: OperationContext,
  before: ApiKeyRecord,
  actor: PauseActor,
): Promise<ApiKeyRecord> {
  const now = new Date();
  if (!isUsable(before, now)) throw unusable(before);
  if (before.pausedAt && (actor.by === 'owner' || pauserOf(before) === 'operator')) return before;
  const paused = { pausedAt: before.pausedAt ?? now, pausedBy: actor.by, pauseReason: actor.reason };
  return setPause(context, 'api-key-paused', before, paused, actor);
}

/**
 * Resumes a key. A key that is not paused stays as it is.
 * @param context the context of a transaction
 * @param before the key, locked
 * @throws {GatewayError} `CONFLICT` for an inactive or expired key, and if the owner may not end the pause
 */
export async function resume(
  context: OperationContext,
  before: ApiKeyRecord,
  actor: PauseActor,
): Promise<ApiKeyRecord> {
  if (!isUsable(before, new Date())) throw unusable(before);
  if (!before.pausedAt) return before;
  if (actor.by === 'owner' && pauserOf(before) === 'operator')
    throw new GatewayError('CONFLICT', 'An operator paused this API key: only an operator can resume it', {
      accountId: before.account,
    });
  return setPause(context, 'api-key-resumed', before, noPause, actor);
}
