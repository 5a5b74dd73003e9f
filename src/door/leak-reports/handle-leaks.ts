import { type Kysely, sql } from 'kysely';
import { deactivated, deactivateMany, lockKeys } from '../../api-keys/deactivate-many.ts';
import { lastEnd } from '../../api-keys/own-api-key.ts';
import { pausedByScanner, pauseLeaked, pauserOf } from '../../api-keys/pause.ts';
import { digestsOf } from '../../api-keys/verify/imported-keys.ts';
import type { LeakReportConfig } from '../../config/config.ts';
import { type Db, runQuery } from '../../database/db.ts';
import { ApiKey, type Tables } from '../../database/tables.ts';
import type { Change } from '../../observability/events.ts';
import type { OperationContext } from '../../operations/context.ts';
import { type KeyEvent, writeKeyEvents } from '../../operations/write-key-events.ts';

/** A text from a public place that may be an API key. */
export interface Leak {
  readonly token: string;
  /** The place where the text was found; null if unknown. */
  readonly url: string | null;
}

/** The part of an operation's context that a report uses. */
export type LeakContext = Pick<OperationContext, 'db' | 'events' | 'requestSource' | 'services'>;

const selectSecrets = (db: Kysely<Tables>, digests: readonly Buffer[]) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .where('api_key_secret.digest', 'in', digests)
    .where('account.erased_at', 'is', null)
    .select(['api_key.id', 'api_key.account_id', 'api_key.is_active', 'api_key.expires_at'])
    .select(['api_key.previous_works_until', 'api_key_secret.digest', 'api_key_secret.id as secret'])
    .select('api_key_secret.works_until as worksUntil')
    .select(['api_key.paused_at', 'api_key.paused_by', 'api_key.pause_reason'])
    .select(sql<boolean>`api_key_secret.leaked_at is not null`.as('marked'))
    // All writers of events of several accounts lock them in the same order. So one may wait for the other, but never
    // each for the other.
    .orderBy('api_key.account_id')
    .orderBy('api_key.id')
    .orderBy('api_key_secret.id');

/** Finds secrets by their digests, with their API keys. */
const findSecrets = (db: Db, digests: readonly Buffer[]) =>
  runQuery(db, ApiKey, selectSecrets(db.kysely, digests));

/** A secret with its API key. */
type FoundSecret = Awaited<ReturnType<typeof findSecrets>>[number];

/** Marks secrets as leaked; a secret that is already marked stays unchanged. */
async function markSecrets(db: Db, secrets: readonly number[], now: Date): Promise<void> {
  const mark = db.kysely.updateTable('api_key_secret').set({ leaked_at: now });
  await runQuery(db, ApiKey, mark.where('id', 'in', secrets).where('leaked_at', 'is', null));
}

/**
 * Ends secrets that a rotation replaced.
 * @param ids the API keys of these secrets
 */
async function endSecrets(
  db: Db,
  secrets: readonly number[],
  ids: readonly number[],
  now: Date,
): Promise<void> {
  if (secrets.length === 0) return;
  const end = db.kysely.updateTable('api_key_secret').set({ works_until: now });
  await runQuery(db, ApiKey, end.where('id', 'in', secrets));
  // Another replaced secret of the key may work for longer.
  const tell = db.kysely.updateTable('api_key').set({ previous_works_until: lastEnd });
  await runQuery(db, ApiKey, tell.where('id', 'in', ids));
}

type Act = LeakReportConfig['act'];

/** A secret that has leaked. */
interface LeakedSecret extends FoundSecret {
  readonly leak: Leak;
}

/** Whether the report of a secret does more than to tell its owner. */
const changes = (found: FoundSecret, act: Act): boolean => {
  if (act !== 'pause' || found.worksUntil) return act !== 'mark';
  const pauser = pauserOf(found);
  return pauser === null || pauser === 'owner';
};

/**
 * Whether a found secret still needs handling. A secret that no longer works does no harm, and the owner of a marked
 * secret already knows.
 */
const isOpen = (found: FoundSecret, act: Act, now: Date): boolean =>
  found.isActive &&
  !(found.expiresAt && found.expiresAt <= now) &&
  !(found.worksUntil && found.worksUntil <= now) &&
  (changes(found, act) || !found.marked);

const idsOf = (found: readonly FoundSecret[]): number[] => [...new Set(found.map(({ id }) => id))];

const secretsOf = (found: readonly FoundSecret[]): number[] => found.map(({ secret }) => secret);

/** The events of a leaked secret: that it leaked, and what ended or was paused. */
function eventsOf(found: LeakedSecret, act: Act, now: Date): KeyEvent[] {
  const { id, account, leak, worksUntil, previousWorksUntil } = found;
  const about = { accountId: account, keyId: id };
  const place: Change[] = leak.url === null ? [] : [{ field: 'leaked_url', from: null, to: leak.url }];
  const leaked = (...changes: readonly Change[]): KeyEvent => ({
    ...about,
    name: 'api-key-leaked',
    changes: [...place, ...changes],
  });
  if (!changes(found, act)) return [leaked()];
  if (worksUntil) return [leaked({ field: 'previous_works_until', from: previousWorksUntil, to: now })];
  const [name, ...done] =
    act === 'pause'
      ? (['api-key-paused', ...pausedByScanner(found, now)] as const)
      : (['api-key-deactivated', deactivated] as const);
  return [leaked(...done), { ...about, name, changes: done }];
}

/**
 * Ends, pauses or marks the found secrets that need it.
 * @returns the events
 */
async function handleOpen(
  db: Db,
  open: readonly LeakedSecret[],
  { act, requestId, now }: { readonly act: Act; readonly requestId: string; readonly now: Date },
): Promise<readonly KeyEvent[]> {
  if (open.length === 0) return [];
  await markSecrets(db, secretsOf(open), now);
  const changed = open.filter((found) => changes(found, act));
  const former = changed.filter((found) => found.worksUntil);
  const current = idsOf(changed.filter((found) => !found.worksUntil));
  await endSecrets(db, secretsOf(former), idsOf(former), now);
  await (act === 'pause' ? pauseLeaked(db, current, now) : deactivateMany(db, current, now));
  const events = open.flatMap((found) => eventsOf(found, act, now));
  await writeKeyEvents(db, events, { actor: 'scanner', reason: null, requestId, now });
  return events;
}

/**
 * Ends, pauses or marks leaked API keys, and records for their owners where the keys were found. If a rotation replaced
 * the leaked secret, only that secret ends, and its key continues. A repetition changes nothing, unless the key
 * was resumed since. Many keys take as many statements as one.
 * @returns the texts that are or were secrets of API keys
 */
export async function handleLeaks(
  { db, services, events, requestSource }: LeakContext,
  act: Act,
  leaks: readonly Leak[],
): Promise<ReadonlySet<string>> {
  // If a text was found in several places, the record shows the first.
  const byDigest = new Map<string, Leak>();
  for (const leak of leaks.toReversed())
    for (const { digest } of digestsOf(services, leak.token)) byDigest.set(digest.toString('hex'), leak);
  if (byDigest.size === 0) return new Set();
  const digests = [...byDigest.keys()].map((hex) => Buffer.from(hex, 'hex'));
  const find = async (within: Db): Promise<LeakedSecret[]> =>
    (await findSecrets(within, digests)).flatMap((found) => {
      const leak = byDigest.get(found.digest.toString('hex'));
      return leak ? [{ ...found, leak }] : [];
    });
  const startedAt = new Date();
  const known = await find(db);
  try {
    if (known.some((found) => isOpen(found, act, startedAt))) {
      const written = await db.transaction(async (transaction) => {
        await lockKeys(transaction, idsOf(known));
        // While this transaction waited, another one may have ended the key or given it another secret.
        const now = new Date();
        const open = (await find(transaction)).filter((found) => isOpen(found, act, now));
        return handleOpen(transaction, open, { act, requestId: requestSource.id, now });
      });
      for (const { name, accountId, keyId } of written) events(name, { accountId, keyId });
    }
  } finally {
    // Whoever ended them, now or before, and whether or not anybody learns the outcome.
    for (const { account: accountId, id: keyId } of known)
      services.doorGrace?.noteChange({ accountId, keyId });
  }
  return new Set(known.map(({ leak }) => leak.token));
}
