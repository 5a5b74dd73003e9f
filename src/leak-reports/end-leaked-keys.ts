import { type Kysely, sql } from 'kysely';
import { importedDigests, sha256Of } from '../api-keys/imported-keys.ts';
import type { LeakReportConfig } from '../config/config.ts';
import { type Db, isForPostgres, runQuery } from '../database/db.ts';
import { type AccountId, ApiKey, type Tables } from '../database/tables.ts';
import type { Change, EventLog } from '../observability/events.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** A text that was found in public, and may be an API key. */
export interface Leak {
  readonly token: string;
  /** Where; null where that is not known. */
  readonly url: string | null;
}

/** What a report's request has. */
export interface LeakContext {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'peppers'>;
  readonly events: EventLog;
  readonly requestId: string;
}

const selectSecrets = (db: Kysely<Tables>, digests: readonly Buffer[], now: Date) =>
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
const findSecrets = (db: Db, digests: readonly Buffer[], now: Date) =>
  runQuery(db, ApiKey, selectSecrets(db.kysely, digests, now));

/** A secret, and its key. */
type FoundSecret = Awaited<ReturnType<typeof findSecrets>>[number];

/** Makes others wait who would change these keys or their secrets. SQLite has one writer, which a transaction is. */
async function lockKeys(db: Db, ids: readonly number[]): Promise<void> {
  if (!isForPostgres(db.kysely)) return;
  const keys = db.kysely.selectFrom('api_key').select('id').where('id', 'in', ids);
  await runQuery(db, ApiKey, keys.orderBy('id').forUpdate());
}

/** Marks secrets as leaked; those that are stay as they are. */
async function markSecrets(db: Db, secrets: readonly number[], now: Date): Promise<void> {
  const mark = db.kysely.updateTable('api_key_secret').set({ leaked_at: now });
  await runQuery(db, ApiKey, mark.where('id', 'in', secrets).where('leaked_at', 'is', null));
}

/** Ends API keys. */
async function endKeys(db: Db, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const end = db.kysely.updateTable('api_key').set({ is_active: false, deactivated_at: now });
  await runQuery(db, ApiKey, end.where('id', 'in', ids));
}

/**
 * Ends secrets that were rotated out.
 * @param ids their keys
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
  // Another one that was rotated out may work for longer.
  const tell = db.kysely.updateTable('api_key').set(({ selectFrom }) => ({
    previous_works_until: selectFrom('api_key_secret')
      .whereRef('api_key_secret.api_key_id', '=', 'api_key.id')
      .select(({ fn }) => fn.max('works_until').as('last')),
  }));
  await runQuery(db, ApiKey, tell.where('id', 'in', ids));
}

/** Something that happened to an API key because it was found in public. */
interface LeakEvent {
  readonly name: 'api-key-leaked' | 'api-key-deactivated';
  readonly accountId: AccountId;
  readonly keyId: number;
  readonly changes: readonly Change[];
}

/** Writes down what happened, in one statement. */
async function writeEvents(
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

type Act = LeakReportConfig['act'];

/** A secret that has leaked. */
interface LeakedSecret extends FoundSecret {
  readonly leak: Leak;
}

/** One that works no more does no harm, and of one that is marked its owner was told. */
const isOpen = (found: FoundSecret, act: Act, now: Date): boolean =>
  found.isActive &&
  !(found.expiresAt && found.expiresAt <= now) &&
  !found.over &&
  (act === 'end' || !found.marked);

const idsOf = (found: readonly FoundSecret[]): number[] => [...new Set(found.map(({ id }) => id))];

const secretsOf = (found: readonly FoundSecret[]): number[] => found.map(({ secret }) => secret);

const ended: Change = { field: 'is_active', from: true, to: false };

/** What is written down of a secret: that it has leaked, and what was ended. */
function eventsOf({ id, account, leak, former, previousWorksUntil }: LeakedSecret, act: Act, now: Date) {
  const about = { accountId: account, keyId: id };
  const found: Change[] = leak.url === null ? [] : [{ field: 'leaked_url', from: null, to: leak.url }];
  const leaked = (...changes: Change[]): LeakEvent => ({
    ...about,
    name: 'api-key-leaked',
    changes: [...found, ...changes],
  });
  if (act === 'mark') return [leaked()];
  if (former) return [leaked({ field: 'previous_works_until', from: previousWorksUntil, to: now })];
  return [leaked(ended), { ...about, name: 'api-key-deactivated', changes: [ended] } as const];
}

/** By what a text is found, whether its key was made here or was brought here from elsewhere. */
const digestsOf = ({ peppers }: LeakContext['secrets'], token: string): Buffer[] =>
  [...peppers.digests(token), ...importedDigests(peppers, sha256Of(token))].map(({ digest }) => digest);

/** Ends or marks what is open, of what was found; and what has become of it. */
async function endOpen(
  db: Db,
  open: readonly LeakedSecret[],
  { act, requestId, now }: { readonly act: Act; readonly requestId: string; readonly now: Date },
): Promise<readonly LeakEvent[]> {
  if (open.length === 0) return [];
  await markSecrets(db, secretsOf(open), now);
  if (act === 'end') {
    const former = open.filter((found) => found.former);
    await endSecrets(db, secretsOf(former), idsOf(former), now);
    await endKeys(db, idsOf(open.filter((found) => !found.former)), now);
  }
  const events = open.flatMap((found) => eventsOf(found, act, now));
  await writeEvents(db, events, { requestId, now });
  return events;
}

/**
 * Ends or marks the API keys that have leaked, and writes down for their owners where they were found. A secret that was
 * rotated out ends alone, and its key goes on. What is done already is not done again. All keys together take as many
 * statements as one.
 * @returns those of the texts that are secrets of API keys, or were
 */
export async function endLeakedKeys(
  { db, secrets, events, requestId }: LeakContext,
  act: Act,
  leaks: readonly Leak[],
): Promise<ReadonlySet<string>> {
  // Of a text that was found in several places, the first is told.
  const byDigest = new Map<string, Leak>();
  for (const leak of leaks.toReversed())
    for (const digest of digestsOf(secrets, leak.token)) byDigest.set(digest.toString('hex'), leak);
  if (byDigest.size === 0) return new Set();
  const digests = [...byDigest.keys()].map((hex) => Buffer.from(hex, 'hex'));
  const find = async (within: Db, now: Date): Promise<LeakedSecret[]> =>
    (await findSecrets(within, digests, now)).flatMap((found) => {
      const leak = byDigest.get(found.digest.toString('hex'));
      return leak ? [{ ...found, leak }] : [];
    });
  const startedAt = new Date();
  const known = await find(db, startedAt);
  if (known.some((found) => isOpen(found, act, startedAt))) {
    const written = await db.transaction(async (transaction) => {
      await lockKeys(transaction, idsOf(known));
      // Whoever was waited for may have done it, or have given the key another secret.
      const now = new Date();
      const open = (await find(transaction, now)).filter((found) => isOpen(found, act, now));
      return endOpen(transaction, open, { act, requestId, now });
    });
    for (const { name, accountId, keyId } of written) events(name, { accountId, keyId });
  }
  return new Set(known.map(({ leak }) => leak.token));
}
