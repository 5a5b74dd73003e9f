import { setTimeout as delay } from 'node:timers/promises';
import { DeadlockException, UniqueConstraintViolationException } from '@mikro-orm/core';
import { type ExpressionBuilder, sql } from 'kysely';
import { forNoKeyUpdate } from '../../database/conditions.ts';
import { type Db, runQuery } from '../../database/db.ts';
import { Account, type AccountId, ApiKey, ApiKeySecret, type Tables } from '../../database/tables.ts';
import type { AccountHolder, OperationSettings } from '../../operations/context.ts';
import type { PepperedDigest, Peppers } from '../../secrets/peppers.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { isApiKeySecret, sealSecret } from '../api-key-secret.ts';
import { columnsOf, type KeyParts, noParts, storedParts } from '../key-parts.ts';
import type { Pause } from '../pause.ts';
import { setQuota } from '../quota.ts';
import {
  addForms,
  type Form,
  hashesOf,
  type ImportedHash,
  importedDigests,
  inPlaceOf,
  readForms,
  waysFor,
} from '../verify/imported-keys.ts';

/** An API key of another service, after its check. */
export interface KeyLine extends Pause, AccountHolder {
  /** The number of its line in a file. */
  readonly number: number;
  readonly keyPrefix: string;
  readonly createdAt: Date;
  readonly isActive: boolean;
  readonly parts: KeyParts;
  /** The plan of the key's account; null if the line names none. */
  readonly plan: string | null;
  /** What the other service stored of the key's secret. */
  readonly imported: ImportedHash;
  /** The form by which every node finds the key. */
  readonly form: Form;
  /** The secret itself; null if the line has only a hash. */
  readonly secret: string | null;
}

/** The destination of an import. */
export interface Destination {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly settings: OperationSettings;
}

/** The result of an import of some lines. */
export interface Imported {
  /** The number of new keys. */
  readonly made: number;
  /** The number of keys that existed before. */
  readonly known: number;
  /** The line numbers of keys that belong to another account. */
  readonly foreign: readonly number[];
}

/** The number of attempts, because others may create or erase the same keys and accounts at the same time. */
const attempts = 5;

/** An account was erased after its lookup. */
class AccountGoneError extends Error {
  override readonly name = 'AccountGoneError';
}

const meetsOthers = [AccountGoneError, DeadlockException, UniqueConstraintViolationException];

const ownerOf = ({ issuer, subject, kind }: AccountHolder) => JSON.stringify([issuer, subject, kind]);

/**
 * Imports API keys, all of them or (on an error) none. A key that exists already stays as it is, even if its secret
 * was rotated out since. An account gets the plan of its first line that names one, unless its plan was set before.
 * @param isDryRun whether to write nothing
 */
export async function importKeys(
  destination: Destination,
  lines: readonly KeyLine[],
  isDryRun: boolean,
): Promise<Imported> {
  for (let attempt = 1; ; attempt += 1) {
    // This runs before the transaction, because on SQLite all other writers wait for a transaction.
    const { imported, fresh, planned } = await sortOut(destination, lines);
    if (isDryRun || fresh.length + planned.length === 0) return imported;
    try {
      await destination.db.transaction(async (db) => {
        if (fresh.length > 0) await writeKeys({ ...destination, db }, fresh);
        await setPlans(db, planned);
      });
      return imported;
    } catch (error) {
      const isMet = meetsOthers.some((kind) => error instanceof kind);
      if (!isMet || attempt === attempts) throw error;
      await delay(Math.random() * 100 * attempt);
    }
  }
}

/** A key that does not exist here yet. */
export interface FreshKey {
  readonly line: KeyLine;
  /** The digest that later identifies the key. */
  readonly digest: PepperedDigest;
}

/**
 * Writes new keys, and the accounts that are missing.
 * @param destination its `db` is a transaction
 * @throws {AccountGoneError} if an account was erased
 */
export async function writeKeys(destination: Destination, fresh: readonly FreshKey[]): Promise<MadeKey[]> {
  const { db } = destination;
  const lines = fresh.map(({ line }) => line);
  const accounts = await ensureAccounts(db, lines);
  await lockAccounts(db, accounts);
  const keys = await insertKeys(db, fresh, accounts);
  await insertSecrets(db, keys);
  await sealSecrets(destination, keys);
  for (const { id, line } of keys) if (line.parts.quota) await setQuota(db, id, line.parts.quota, new Date());
  await addForms(
    db,
    lines.map(({ form }) => form),
  );
  return keys;
}

/**
 * The texts that identify a line's key, in the order in which a verification looks for them. A key of which the line has
 * the whole text may have been made here, or imported by a hash before, in any way of hashing.
 */
function identitiesOf({ secret, imported }: KeyLine, forms: readonly Form[]): readonly string[] {
  const own = secret !== null && isApiKeySecret(secret) ? [secret] : [];
  const others = secret === null ? [] : hashesOf(secret, waysFor(forms, secret)).map(inPlaceOf);
  return [...new Set([...own, ...others, inPlaceOf(imported)])];
}

/** Makes the digest that is stored of a new key. */
const freshKeyOf = (peppers: Peppers, line: KeyLine): FreshKey => ({
  line,
  digest: importedDigests(peppers, line.imported)[0],
});

/** Separates the lines with new keys from those with keys that exist already or stand in an earlier line. */
async function sortOut({ db, secrets: { peppers } }: Destination, lines: readonly KeyLine[]) {
  const forms = [...(await readForms(db)), ...lines.map(({ form }) => form)];
  const identities = new Map(lines.map((line) => [line, identitiesOf(line, forms)]));
  const stored = await findStored(db, peppers, [...identities.values()].flat());
  const owners = new Map([...stored].map(([text, key]) => [text, ownerOf(key)]));
  const fresh: FreshKey[] = [];
  const foreign: number[] = [];
  for (const [line, texts] of identities) {
    const owner = texts.map((text) => owners.get(text)).find((each) => each !== undefined);
    if (owner === undefined) {
      for (const text of texts) owners.set(text, ownerOf(line));
      fresh.push(freshKeyOf(peppers, line));
    } else if (owner !== ownerOf(line)) foreign.push(line.number);
  }
  const known = lines.length - fresh.length - foreign.length;
  const planned = lines.filter(({ number, plan }) => plan !== null && !foreign.includes(number));
  return { imported: { made: fresh.length, known, foreign }, fresh, planned };
}

/** Finds the keys that exist already, by what identifies them. */
async function findStored(db: Db, peppers: Peppers, texts: readonly string[]) {
  const byDigest = new Map(
    texts.flatMap((text) => peppers.digests(text).map(({ digest }) => [digest.toString('hex'), text])),
  );
  const wanted = [...byDigest.keys()].map((digest) => Buffer.from(digest, 'hex'));
  const select = db.kysely
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['api_key_secret.digest', 'api_key_secret.api_key_id'])
    .select(['account.issuer', 'account.subject', 'account.kind'])
    .where('api_key_secret.digest', 'in', wanted);
  const rows = await runQuery(db, ApiKeySecret, select);
  return new Map(rows.map((row) => [byDigest.get(Buffer.from(row.digest).toString('hex')) ?? '', row]));
}

/**
 * Finds the key of one line.
 * @returns its id, and whether it belongs to the line's account; `fresh` for a key that does not exist yet
 */
export async function findKeyOf({ db, secrets: { peppers } }: Destination, line: KeyLine) {
  const identities = identitiesOf(line, [...(await readForms(db)), line.form]);
  const all = await findStored(db, peppers, identities);
  const stored = identities.map((text) => all.get(text)).find((each) => each !== undefined);
  return stored
    ? { id: stored.apiKey, isForeign: ownerOf(stored) !== ownerOf(line) }
    : { fresh: freshKeyOf(peppers, line) };
}

/** Returns the accounts of the keys, by owner, and creates the missing ones. */
async function ensureAccounts(db: Db, lines: readonly KeyLine[]): Promise<Map<string, AccountId>> {
  const accounts = await findAccounts(db, lines);
  const missing = new Map(
    lines.filter((line) => !accounts.has(ownerOf(line))).map((line) => [ownerOf(line), line]),
  );
  if (missing.size === 0) return accounts;
  // Every import uses the same order. So two imports that create the same accounts wait for each other once, and
  // cannot deadlock.
  const rows = [...missing].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  const now = new Date();
  await runQuery(
    db,
    Account,
    db.kysely
      .insertInto('account')
      .values(rows.map(({ issuer, subject, kind }) => ({ issuer, subject, kind, created_at: now })))
      .onConflict((conflict) => conflict.columns(['issuer', 'subject', 'kind']).doNothing()),
  );
  return new Map([...accounts, ...(await findAccounts(db, rows))]);
}

/** A condition that is true of the accounts of some keys. */
const areOwners =
  (lines: readonly KeyLine[]) =>
  ({ and, eb, or }: ExpressionBuilder<Tables, 'account'>) =>
    or(
      [...Map.groupBy(lines, ({ issuer, kind }) => JSON.stringify([issuer, kind])).values()].flatMap((of) => {
        const [first] = of;
        const subjects = [...new Set(of.map(({ subject }) => subject))];
        return first
          ? [
              and([
                eb('issuer', '=', first.issuer),
                eb('kind', '=', first.kind),
                eb('subject', 'in', subjects),
              ]),
            ]
          : [];
      }),
    );

/** Finds the existing accounts of the keys, by owner. */
async function findAccounts(db: Db, lines: readonly KeyLine[]): Promise<Map<string, AccountId>> {
  const select = db.kysely
    .selectFrom('account')
    .select(['id', 'issuer', 'subject', 'kind'])
    .where(areOwners(lines));
  return new Map((await runQuery(db, Account, select)).map((row) => [ownerOf(row), row.id]));
}

/**
 * Sets the plans of the accounts that have never got one: an older file takes back nothing that was granted since.
 * @param lines those that name a plan
 */
async function setPlans(db: Db, lines: readonly KeyLine[]): Promise<void> {
  const first = new Map(lines.toReversed().map((line) => [ownerOf(line), line]));
  for (const [plan, of] of Map.groupBy(first.values(), (line) => line.plan)) {
    const update = db.kysely
      .updateTable('account')
      .set({ plan, entitled_at: new Date() })
      .where(areOwners(of))
      .where('entitled_at', 'is', null)
      .where('erased_at', 'is', null);
    await runQuery(db, Account, update);
  }
}

/**
 * Locks the accounts: others that create keys for these accounts or erase them must wait.
 * @throws {AccountGoneError} if an account was erased
 */
async function lockAccounts(db: Db, accounts: ReadonlyMap<string, AccountId>): Promise<void> {
  const select = db.kysely
    .selectFrom('account')
    .select('id')
    .where('id', 'in', [...accounts.values()])
    .where('erased_at', 'is', null)
    .orderBy('id');
  if ((await runQuery(db, Account, forNoKeyUpdate(db.kysely, select))).length < accounts.size)
    throw new AccountGoneError();
}

/** Finds the accounts that have a default key. */
async function haveDefault(db: Db, accounts: ReadonlyMap<string, AccountId>): Promise<Set<number>> {
  const rows = await runQuery(
    db,
    ApiKey,
    db.kysely
      .selectFrom('api_key')
      .select('account_id as owner')
      .where('account_id', 'in', [...accounts.values()])
      .where('is_default', '=', sql.lit(true)),
  );
  return new Set(rows.map(({ owner }) => Number(owner)));
}

/** A key that the import has created. */
export interface MadeKey extends FreshKey {
  readonly id: number;
  readonly account: AccountId;
}

async function insertKeys(
  db: Db,
  fresh: readonly FreshKey[],
  accounts: ReadonlyMap<string, AccountId>,
): Promise<MadeKey[]> {
  const now = new Date();
  const defaults = await haveDefault(db, accounts);
  const rows = fresh.map(({ line }) => {
    const account = accounts.get(ownerOf(line)) as AccountId;
    const isDefault = line.isActive && !line.pausedAt && !defaults.has(account);
    if (isDefault) defaults.add(account);
    return {
      account_id: account,
      key_prefix: line.keyPrefix,
      is_active: line.isActive,
      is_default: isDefault,
      encryption_version: 1,
      created_at: line.createdAt,
      // The line does not say when the key was deactivated, so the time is now.
      deactivated_at: line.isActive ? null : now,
      paused_at: line.pausedAt,
      paused_by: line.pausedBy,
      pause_reason: line.pauseReason,
      ...columnsOf(storedParts(line.parts, noParts)),
    };
  });
  const insert = db.kysely.insertInto('api_key').values(rows).returning(['id', 'account_id', 'key_prefix']);
  const made = (await runQuery(db, ApiKey, insert)).sort((one, other) => one.id - other.id);
  // The databases give ids in the order of the rows, but do not promise this order. Another order would give keys to
  // the wrong accounts.
  const isInOrder = made.every(
    ({ account, keyPrefix }, at) => account === rows[at]?.account_id && keyPrefix === rows[at]?.key_prefix,
  );
  if (!isInOrder) throw new Error('The database gave ids in another order than that of the rows');
  return made.map(({ id, account }, at) => ({
    ...(fresh[at] as FreshKey),
    id,
    account: account as AccountId,
  }));
}

async function insertSecrets(db: Db, keys: readonly MadeKey[]): Promise<void> {
  const rows = keys.map(({ id, digest: { digest, version } }) => ({
    api_key_id: id,
    digest,
    pepper_version: version,
    is_imported: true,
  }));
  await runQuery(db, ApiKeySecret, db.kysely.insertInto('api_key_secret').values(rows));
}

/** Stores a sealed copy of each given secret, if the configuration says so. */
async function sealSecrets(destination: Destination, keys: readonly MadeKey[]): Promise<void> {
  const { db, settings } = destination;
  const given = settings.sealApiKeys ? keys.filter(({ line }) => line.secret !== null) : [];
  if (given.length === 0) return;
  const rows = await Promise.all(
    given.map(async ({ id, account, line }) => {
      const sealed = await sealSecret(destination, { id, account }, line.secret ?? '');
      return sql`(cast(${id} as integer), ${sealed.encryptedKey}, cast(${sealed.encryptionVersion} as integer))`;
    }),
  );
  const update = sql`
    update api_key set encrypted_key = sealed.column2, encryption_version = sealed.column3
    from (values ${sql.join(rows)}) as sealed where api_key.id = sealed.column1`;
  await db.run(update.compile(db.kysely), ApiKey);
}
