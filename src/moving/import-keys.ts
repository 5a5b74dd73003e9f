import { setTimeout as delay } from 'node:timers/promises';
import { DeadlockException, UniqueConstraintViolationException } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isApiKeySecret, sealSecret } from '../api-keys/api-key-secret.ts';
import { addForms, importedDigests } from '../api-keys/imported-keys.ts';
import { noParts, storedParts } from '../api-keys/key-parts.ts';
import { setQuota } from '../api-keys/quota.ts';
import { type Db, isForPostgres, runQuery } from '../database/db.ts';
import { Account, type AccountId, ApiKey, ApiKeySecret } from '../database/tables.ts';
import type { OperationLimits } from '../operations/context.ts';
import type { PepperedDigest, Peppers } from '../secrets/peppers.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { KeyLine } from './key-line.ts';

/** What keys are brought to. */
export interface Destination {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly limits: OperationLimits;
}

/** What came of some lines. */
export interface Imported {
  /** How many keys were made. */
  readonly made: number;
  /** How many were here before. */
  readonly known: number;
  /** The numbers of lines whose key belongs to another account. */
  readonly foreign: readonly number[];
}

/** How often lines are tried that meet others who make or erase the same. */
const attempts = 5;

/** An account was erased since it was looked up. */
class AccountGoneError extends Error {
  override readonly name = 'AccountGoneError';
}

const meetsOthers = [AccountGoneError, DeadlockException, UniqueConstraintViolationException];

const ownerOf = ({ issuer, subject }: Pick<KeyLine, 'issuer' | 'subject'>) =>
  JSON.stringify([issuer, subject]);

/**
 * Brings API keys here, as a whole or, where it fails, not at all. A key that is here already stays as it is, also where
 * its secret was rotated out since.
 * @param isDryRun whether nothing is written
 */
export async function importKeys(
  destination: Destination,
  lines: readonly KeyLine[],
  isDryRun: boolean,
): Promise<Imported> {
  for (let attempt = 1; ; attempt += 1) {
    // Before the transaction: on SQLite all who write wait for that.
    const { imported, fresh } = await sortOut(destination, lines);
    if (isDryRun || fresh.length === 0) return imported;
    try {
      await destination.db.transaction((db) => write({ ...destination, db }, fresh));
      return imported;
    } catch (error) {
      const isMet = meetsOthers.some((kind) => error instanceof kind);
      if (!isMet || attempt === attempts) throw error;
      await delay(Math.random() * 100 * attempt);
    }
  }
}

/** A key that is not here yet. */
interface FreshKey {
  readonly line: KeyLine;
  /** By what it will be found. */
  readonly digest: PepperedDigest;
}

async function write(destination: Destination, fresh: readonly FreshKey[]): Promise<void> {
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
    lines.map(({ keyPrefix }) => keyPrefix),
  );
}

/** Tells lines whose keys are new from those of which the keys are here, or stand in an earlier line. */
async function sortOut({ db, secrets: { peppers } }: Destination, lines: readonly KeyLine[]) {
  const digests = new Map(lines.map((line) => [line, importedDigests(peppers, line.sha256)]));
  const owners = await findOwners(db, peppers, digests);
  const fresh: FreshKey[] = [];
  const foreign: number[] = [];
  for (const [line, [digest]] of digests) {
    const owner = owners.get(line.sha256);
    if (owner === undefined) {
      owners.set(line.sha256, ownerOf(line));
      fresh.push({ line, digest });
    } else if (owner !== ownerOf(line)) foreign.push(line.number);
  }
  const known = lines.length - fresh.length - foreign.length;
  return { imported: { made: fresh.length, known, foreign }, fresh };
}

/** Whose the keys are that are here already, by SHA-256. */
async function findOwners(
  db: Db,
  peppers: Peppers,
  lines: ReadonlyMap<KeyLine, readonly PepperedDigest[]>,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const [{ sha256, secret }, digests] of lines) {
    // One of ours that was made here is known by another digest.
    const own = secret !== null && isApiKeySecret(secret) ? peppers.digests(secret) : [];
    for (const { digest } of [...digests, ...own]) keys.set(digest.toString('hex'), sha256);
  }
  const wanted = [...keys.keys()].map((digest) => Buffer.from(digest, 'hex'));
  const select = db.kysely
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['api_key_secret.digest', 'account.issuer', 'account.subject'])
    .where('api_key_secret.digest', 'in', wanted);
  const rows = await runQuery(db, ApiKeySecret, select);
  return new Map(rows.map((row) => [keys.get(Buffer.from(row.digest).toString('hex')) ?? '', ownerOf(row)]));
}

/** The accounts of keys, by their owners; those that are missing are made. */
async function ensureAccounts(db: Db, lines: readonly KeyLine[]): Promise<Map<string, AccountId>> {
  const accounts = await findAccounts(db, lines);
  const missing = new Map(
    lines.filter((line) => !accounts.has(ownerOf(line))).map((line) => [ownerOf(line), line]),
  );
  if (missing.size === 0) return accounts;
  // In one order: two imports that make the same accounts wait for each other once, and not in a circle.
  const rows = [...missing].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  const now = new Date();
  await runQuery(
    db,
    Account,
    db.kysely
      .insertInto('account')
      .values(rows.map(({ issuer, subject }) => ({ issuer, subject, created_at: now })))
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
  );
  return new Map([...accounts, ...(await findAccounts(db, rows))]);
}

/** Those of the keys' accounts that are here, by their owners. */
async function findAccounts(db: Db, lines: readonly KeyLine[]): Promise<Map<string, AccountId>> {
  const issuers = Map.groupBy(lines, ({ issuer }) => issuer);
  const rows = await runQuery(
    db,
    Account,
    db.kysely
      .selectFrom('account')
      .select(['id', 'issuer', 'subject'])
      .where(({ and, eb, or }) =>
        or(
          [...issuers].map(([issuer, of]) =>
            and([
              eb('issuer', '=', issuer),
              eb('subject', 'in', [...new Set(of.map(({ subject }) => subject))]),
            ]),
          ),
        ),
      ),
  );
  return new Map(rows.map((row) => [ownerOf(row), row.id]));
}

/**
 * Makes others wait who would make keys for the same accounts, or erase them.
 * @throws {AccountGoneError}
 */
async function lockAccounts(db: Db, accounts: ReadonlyMap<string, AccountId>): Promise<void> {
  const select = db.kysely
    .selectFrom('account')
    .select('id')
    .where('id', 'in', [...accounts.values()])
    .where('erased_at', 'is', null);
  // SQLite has one writer, which a transaction is.
  const locked = isForPostgres(db.kysely) ? select.orderBy('id').forNoKeyUpdate() : select;
  if ((await runQuery(db, Account, locked)).length < accounts.size) throw new AccountGoneError();
}

/** The accounts that have a default key. */
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

/** A key that was made. */
interface MadeKey extends FreshKey {
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
    const isDefault = line.isActive && !defaults.has(account);
    if (isDefault) defaults.add(account);
    const parts = storedParts(line.parts, noParts);
    return {
      account_id: account,
      key_prefix: line.keyPrefix,
      name: parts.name,
      is_active: line.isActive,
      is_default: isDefault,
      encryption_version: 1,
      created_at: line.createdAt,
      expires_at: parts.expiresAt,
      // When it was is not told: it is known from now on.
      deactivated_at: line.isActive ? null : now,
      permissions: parts.permissions,
      metadata: parts.metadata,
      allowed_addresses: parts.allowedAddresses,
      rate_limit: parts.rateLimit,
      rate_limit_window: parts.rateLimitWindow,
    };
  });
  const insert = db.kysely.insertInto('api_key').values(rows).returning(['id', 'account_id', 'key_prefix']);
  const made = (await runQuery(db, ApiKey, insert)).sort((one, other) => one.id - other.id);
  // Ids are given in the order of the rows. Nothing promises that, and another order would hand keys to others.
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

/** Keeps a sealed copy of the secrets that were given, where that is configured. */
async function sealSecrets(destination: Destination, keys: readonly MadeKey[]): Promise<void> {
  const { db, limits } = destination;
  const given = limits.sealApiKeys ? keys.filter(({ line }) => line.secret !== null) : [];
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
