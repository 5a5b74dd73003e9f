import { setTimeout as delay } from 'node:timers/promises';
import { DeadlockException, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityName } from '@mikro-orm/sql';
import { type Compilable, sql } from 'kysely';
import { isApiKeySecret } from '../api-keys/api-key-secret.ts';
import { importedDigests } from '../api-keys/imported-digests.ts';
import { addForms } from '../api-keys/imported-forms.ts';
import { noParts, storedParts } from '../api-keys/key-parts.ts';
import { setQuota } from '../api-keys/quota.ts';
import { sealSecret } from '../api-keys/store-secret.ts';
import type { Db } from '../database/db.ts';
import { type EntityRow, isForPostgres } from '../database/prepare-query.ts';
import { Account, type AccountId, ApiKey, ApiKeySecret } from '../database/tables.ts';
import type { OperationLimits } from '../operations/context.ts';
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

/** How often lines are tried that meet another import of the same keys or accounts. */
const attempts = 5;

/** Runs a query that is written for these lines alone. */
const run = async <Row>(db: Db, entity: EntityName, query: Compilable<Row>) =>
  (await db.run(query.compile(), entity)) as EntityRow<Row>[];

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
  if (isDryRun) return (await sortOut(destination, lines)).imported;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await destination.db.transaction((db) => write({ ...destination, db }, lines));
    } catch (error) {
      const isMet = error instanceof UniqueConstraintViolationException || error instanceof DeadlockException;
      if (!isMet || attempt === attempts) throw error;
      await delay(Math.random() * 100 * attempt);
    }
  }
}

async function write(destination: Destination, lines: readonly KeyLine[]): Promise<Imported> {
  const { db } = destination;
  const { imported, fresh, accounts } = await sortOut(destination, lines);
  if (fresh.length === 0) return imported;
  await createAccounts(db, fresh, accounts);
  await lockAccounts(db, accounts);
  const keys = await insertKeys(db, fresh, accounts);
  await insertSecrets(destination, keys);
  await sealSecrets(destination, keys);
  for (const { id, line } of keys) if (line.parts.quota) await setQuota(db, id, line.parts.quota, new Date());
  await addForms(
    db,
    fresh.map(({ keyPrefix }) => keyPrefix),
  );
  return imported;
}

/** Tells lines whose keys are new from those of which the keys are here, or stand in an earlier line. */
async function sortOut({ db, secrets }: Destination, lines: readonly KeyLine[]) {
  const accounts = await findAccounts(db, lines);
  const owners = await findOwners(db, secrets, lines);
  const fresh: KeyLine[] = [];
  const foreign: number[] = [];
  const earlier = new Map<string, string>();
  for (const line of lines) {
    const owner = ownerOf(line);
    const has = owners.get(line.sha256);
    const before = earlier.get(line.sha256);
    if (has === undefined && before === undefined) {
      earlier.set(line.sha256, owner);
      fresh.push(line);
    } else if (before === undefined ? has !== accounts.get(owner) : before !== owner)
      foreign.push(line.number);
  }
  const known = lines.length - fresh.length - foreign.length;
  return { imported: { made: fresh.length, known, foreign }, fresh, accounts };
}

/** Those of the lines' accounts that are here, by their owners. */
async function findAccounts(db: Db, lines: readonly KeyLine[]): Promise<Map<string, AccountId>> {
  const issuers = Map.groupBy(lines, ({ issuer }) => issuer);
  const rows = await run(
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

/** Which accounts have the keys that are here already, by SHA-256. */
async function findOwners(
  db: Db,
  { peppers }: Secrets,
  lines: readonly KeyLine[],
): Promise<Map<string, AccountId>> {
  const digests = new Map<string, string>();
  for (const { sha256, secret } of lines) {
    const own = secret !== null && isApiKeySecret(secret) ? peppers.digests(secret) : [];
    for (const { digest } of [...importedDigests(peppers, sha256), ...own])
      digests.set(digest.toString('base64'), sha256);
  }
  const rows = await run(
    db,
    ApiKeySecret,
    db.kysely
      .selectFrom('api_key_secret')
      .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
      .select(['api_key_secret.digest', 'api_key.account_id as owner'])
      .where(
        'api_key_secret.digest',
        'in',
        [...digests.keys()].map((digest) => Buffer.from(digest, 'base64')),
      ),
  );
  return new Map(
    rows.map(({ digest, owner }) => [
      digests.get(Buffer.from(digest).toString('base64')) ?? '',
      owner as AccountId,
    ]),
  );
}

/** Makes the accounts that are missing, and adds them to those that are there. */
async function createAccounts(
  db: Db,
  lines: readonly KeyLine[],
  accounts: Map<string, AccountId>,
): Promise<void> {
  const missing = new Map(
    lines.filter((line) => !accounts.has(ownerOf(line))).map((line) => [ownerOf(line), line]),
  );
  if (missing.size === 0) return;
  // In one order: two imports that make the same accounts wait for each other once, and not in a circle.
  const rows = [...missing].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  const now = new Date();
  await run(
    db,
    Account,
    db.kysely
      .insertInto('account')
      .values(rows.map(({ issuer, subject }) => ({ issuer, subject, created_at: now })))
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
  );
  for (const [owner, id] of await findAccounts(db, rows)) accounts.set(owner, id);
}

/** Makes others wait who would make keys for the same accounts. SQLite has one writer, which a transaction is. */
async function lockAccounts(db: Db, accounts: ReadonlyMap<string, AccountId>): Promise<void> {
  if (!isForPostgres(db.kysely)) return;
  const select = db.kysely
    .selectFrom('account')
    .select('id')
    .where('id', 'in', [...accounts.values()]);
  await run(db, Account, select.orderBy('id').forNoKeyUpdate());
}

/** The accounts that have a default key. */
async function haveDefault(db: Db, accounts: ReadonlyMap<string, AccountId>): Promise<Set<number>> {
  const rows = await run(
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
interface MadeKey {
  readonly id: number;
  readonly account: AccountId;
  readonly line: KeyLine;
}

async function insertKeys(
  db: Db,
  lines: readonly KeyLine[],
  accounts: ReadonlyMap<string, AccountId>,
): Promise<MadeKey[]> {
  const now = new Date();
  const defaults = await haveDefault(db, accounts);
  const rows = lines.map((line) => {
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
  const made = (await run(db, ApiKey, insert)).sort((one, other) => one.id - other.id);
  // Ids are given in the order of the rows. Nothing promises that, and another order would hand keys to others.
  const isInOrder = made.every(
    ({ account, keyPrefix }, at) => account === rows[at]?.account_id && keyPrefix === rows[at]?.key_prefix,
  );
  if (!isInOrder) throw new Error('The database gave ids in another order than that of the rows');
  return made.map(({ id, account }, at) => ({
    id,
    account: account as AccountId,
    line: lines[at] as KeyLine,
  }));
}

async function insertSecrets({ db, secrets }: Destination, keys: readonly MadeKey[]): Promise<void> {
  const rows = keys.map(({ id, line }) => {
    const [{ digest, version }] = importedDigests(secrets.peppers, line.sha256);
    return { api_key_id: id, digest, pepper_version: version, is_imported: true };
  });
  await run(db, ApiKeySecret, db.kysely.insertInto('api_key_secret').values(rows));
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
