import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { deactivated, deactivateMany, lockKeys } from '../api-keys/deactivate-many.ts';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { ApiKey, type Tables } from '../database/tables.ts';
import { writeKeyEvents } from '../operations/write-key-events.ts';
import { type Line, LineError, type LineOptions, takeLines } from './read-lines.ts';

/** The number of keys in one transaction. On SQLite, all other writers wait for the transaction. */
const batchSize = 100;

/** The pause between two batches on SQLite, in milliseconds, in which others may write. */
const pause = 20;

/** The most keys that are looked up for a prefix, and named if it is ambiguous. */
const mostNamed = 10;

const greatestId = 2 ** 31 - 1;

const selectKeys = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .where('account.erased_at', 'is', null)
    .select(['api_key.id', 'api_key.is_active'])
    .orderBy('api_key.id')
    .limit(mostNamed);

const selectById = prepareQuery(ApiKey, (db, { id }: { readonly id: number }) =>
  selectKeys(db).where('api_key.id', '=', id),
);

const selectByPrefix = prepareQuery(ApiKey, (db, { prefix }: { readonly prefix: string }) =>
  selectKeys(db).where('api_key.key_prefix', '=', prefix),
);

/** Finds the keys of a line: by the id if it is one, otherwise by the prefix. */
const findKeys = (db: Db, text: string) =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= greatestId
    ? selectById(db, { id: Number(text) })
    : selectByPrefix(db, { prefix: text });

/** The options of {@link deactivateLines}. */
export interface DeactivateOptions extends LineOptions {
  /** The reason for the keys' owners; null: none. */
  readonly reason: string | null;
}

/** The results of the lines. */
export interface DeactivateTotals {
  ended: number;
  /** The number of lines with a key that was inactive before. */
  inactive: number;
  /** The number of lines that end no key: no key is like that, several are, or the line cannot be read. */
  refused: number;
}

/** Deactivates API keys, and records it for their owners, all or none of them. */
const deactivateBatch = (db: Db, ids: readonly number[], reason: string | null, requestId: string) =>
  db.transaction(async (transaction) => {
    await lockKeys(transaction, ids);
    const now = new Date();
    const ended = await deactivateMany(transaction, ids, now);
    const events = ended.map(({ id, account }) => ({
      name: 'api-key-deactivated' as const,
      accountId: account,
      keyId: id,
      changes: [deactivated],
    }));
    await writeKeyEvents(transaction, events, { actor: 'operator', reason, requestId, now });
    return ended.length;
  });

/**
 * Reads the key of a line.
 * @returns the key's id; `inactive` if the key is inactive; undefined for an empty line or a comment
 * @throws {LineError} if the line names no key, or several
 */
async function readKey(db: Db, text: string): Promise<number | 'inactive' | undefined> {
  const word = text.trim();
  if (word === '' || word.startsWith('#')) return undefined;
  const found = await findKeys(db, word);
  const [first, ...others] = found;
  if (!first) throw new LineError('No key has this id or prefix.');
  if (found.every(({ isActive }) => !isActive)) return 'inactive';
  if (others.length === 0) return first.id;
  const ids = found.map(({ id }) => id).join(', ');
  throw new LineError(`Several keys have this prefix: ${ids}. Give the id.`);
}

/**
 * Deactivates the API keys that lines name by their id or prefix, in batches. A key that is inactive stays as it is, so
 * a repetition changes nothing.
 * @param totals counts during the run, so the numbers are right even if the run fails
 */
export async function deactivateLines(
  db: Db,
  lines: AsyncIterable<Line>,
  { reason, isDryRun, onRefused, ...others }: DeactivateOptions,
  totals: DeactivateTotals = { ended: 0, inactive: 0, refused: 0 },
): Promise<DeactivateTotals> {
  const requestId = randomUUID();
  const batch = new Set<number>();
  const write = async () => {
    totals.ended += isDryRun ? batch.size : await deactivateBatch(db, [...batch], reason, requestId);
    batch.clear();
    if (!isDryRun && !isForPostgres(db.kysely)) await delay(pause);
  };
  const refuse = (number: number, why: string) => {
    totals.refused += 1;
    onRefused(number, why);
  };
  await takeLines(lines, { ...others, onRefused: refuse }, async (text) => {
    const key = await readKey(db, text);
    if (key === 'inactive' || (key !== undefined && batch.has(key))) totals.inactive += 1;
    else if (key !== undefined) batch.add(key);
    if (batch.size === batchSize) await write();
  });
  if (batch.size > 0) await write();
  return totals;
}
