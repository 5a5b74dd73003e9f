import { type Kysely, sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { isForPostgres, runQuery } from '../database/prepare-query.ts';
import { type AccountId, ApiKey, type Tables } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';

const select = (db: Kysely<Tables>, digests: readonly Buffer[], now: Date) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .where('api_key_secret.digest', 'in', digests)
    .select(['api_key.id', 'api_key.account_id', 'api_key.is_active', 'api_key.expires_at'])
    .select(['api_key.previous_works_until', 'api_key_secret.digest', 'api_key_secret.id as secret'])
    // No properties of the key's, so nothing would make dates and booleans of them on SQLite.
    .select(sql<unknown>`api_key_secret.works_until is not null`.as('former'))
    .select(sql<unknown>`api_key_secret.works_until <= ${now}`.as('over'))
    .select(sql<unknown>`api_key_secret.leaked_at is not null`.as('marked'))
    // Whoever writes events of several accounts goes by their order: two wait for each other once, and not in a circle.
    .orderBy('api_key.account_id')
    .orderBy('api_key.id')
    .orderBy('api_key_secret.id');

/** What is stored of secrets, by their digests, and of their keys. */
export const findSecrets = (db: Db, digests: readonly Buffer[], now: Date) =>
  runQuery(db, ApiKey, select(db.kysely, digests, now));

/** A secret, and its key. */
export type FoundSecret = Awaited<ReturnType<typeof findSecrets>>[number];

/** Makes others wait who would change these keys or their secrets. SQLite has one writer, which a transaction is. */
export async function lockKeys(db: Db, ids: readonly number[]): Promise<void> {
  if (!isForPostgres(db.kysely)) return;
  const keys = db.kysely.selectFrom('api_key').select('id').where('id', 'in', ids);
  await runQuery(db, ApiKey, keys.orderBy('id').forUpdate());
}

/** Marks secrets as leaked; those that are stay as they are. */
export async function markSecrets(db: Db, secrets: readonly number[], now: Date): Promise<void> {
  const mark = db.kysely.updateTable('api_key_secret').set({ leaked_at: now });
  await runQuery(db, ApiKey, mark.where('id', 'in', secrets).where('leaked_at', 'is', null));
}

/** Ends API keys. */
export async function endKeys(db: Db, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const end = db.kysely.updateTable('api_key').set({ is_active: false, deactivated_at: now });
  await runQuery(db, ApiKey, end.where('id', 'in', ids));
}

/**
 * Ends secrets that were rotated out.
 * @param ids their keys
 */
export async function endSecrets(
  db: Db,
  secrets: readonly number[],
  ids: readonly number[],
  now: Date,
): Promise<void> {
  if (secrets.length === 0) return;
  const end = db.kysely.updateTable('api_key_secret').set({ works_until: now });
  await runQuery(db, ApiKey, end.where('id', 'in', secrets));
  // Another one that was rotated out may work for longer.
  const tell = db.kysely.updateTable('api_key').set(({ selectFrom }) => ({
    previous_works_until: selectFrom('api_key_secret')
      .whereRef('api_key_secret.api_key_id', '=', 'api_key.id')
      .select(({ fn }) => fn.max('works_until').as('last')),
  }));
  await runQuery(db, ApiKey, tell.where('id', 'in', ids));
}

/** Something that happened to an API key because it was found in public. */
export interface LeakEvent {
  readonly name: 'api-key-leaked' | 'api-key-deactivated';
  readonly accountId: AccountId;
  readonly keyId: number;
  readonly changes: readonly Change[];
}

/** Writes down what happened, in one statement. */
export async function writeEvents(
  db: Db,
  events: readonly LeakEvent[],
  { requestId, now }: { readonly requestId: string; readonly now: Date },
): Promise<void> {
  const rows = events.map(({ name, accountId, keyId, changes }) => ({
    account_id: accountId,
    actor: 'scanner',
    action: name,
    target: keyId,
    request: requestId,
    details: changes.length === 0 ? null : JSON.stringify(changes),
    created_at: now,
  }));
  await runQuery(db, ApiKey, db.kysely.insertInto('audit_event').values(rows));
}
