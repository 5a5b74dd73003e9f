// The accounts whose subject contains a text. Those that begin with it come first: operators mostly search for a subject
// that they have in front of them. An index on the subject finds these, and an index of trigrams, which are three
// characters in a row, finds the others.

import { type Kysely, sql } from 'kysely';
import { beginsWith, type Filtered, positionIn, type States } from '../database/conditions.ts';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { prepareIds, prepareSearch, readInTurn } from '../database/search.ts';
import { Account, type Tables } from '../database/tables.ts';
import { selectAccountRecords } from './account-record.ts';

/** Selects accounts that are blocked, or are not. */
export const selectWanted = (db: Kysely<Tables>, { state, otherState }: States) =>
  selectAccountRecords(db).where(sql<boolean>`(account.blocked_at is not null)`, 'in', [state, otherState]);

type Wanted = States & Filtered;

const findBeginning = prepareIds(Account, (db, wanted: Filtered) =>
  db
    .selectFrom('account')
    .select('id')
    .where(beginsWith(db, 'subject', wanted)),
);

const readBeginning = prepareSearch(
  Account,
  'account',
  (db, wanted: Wanted) => selectWanted(db, wanted).where(positionIn(db, 'account.subject', wanted), '=', 1),
  findBeginning,
);

/** The most trigrams that a search asks for. More of them find hardly fewer accounts, and each takes time. */
const mostTrigrams = 8;

/**
 * The search for a text in SQLite's index: some of the text's trigrams, evenly spread. Each is quoted, so that no
 * character has a meaning of its own.
 * @returns undefined if the text has no trigrams
 */
function toTrigrams(filter: string): string | undefined {
  const characters = [...filter];
  const last = characters.length - 3;
  if (last < 0) return undefined;
  const steps = Math.min(mostTrigrams - 1, last);
  const starts = Array.from({ length: steps + 1 }, (_, step) => Math.round((step * last) / (steps || 1)));
  const trigrams = starts.map((start) => characters.slice(start, start + 3).join(''));
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}

const findBySqlite = prepareIds(Account, (db, { trigrams }: { readonly trigrams: string }) =>
  db
    .selectFrom(sql<{ id: number }>`account_search`.as('found'))
    .select(sql<number>`rowid`.as('id'))
    .where(sql<boolean>`account_search match ${trigrams}`),
);

const findByPostgres = prepareIds(Account, (db, { pattern }: { readonly pattern: string }) =>
  db.selectFrom('account').select('id').where(sql<boolean>`lower(subject) like lower(${pattern})`),
);

/**
 * Whether PostgreSQL has the index of trigrams. The migration makes it if it can, and an operator may add it at any time:
 * without it, PostgreSQL would look at all accounts in one query.
 */
const findIndex = prepareQuery(Account, (db, _: object) =>
  db.selectNoFrom(
    sql<boolean>`exists (select 1 from pg_index
      where indexrelid = to_regclass('account_subject_trigrams') and indisvalid)`.as('marked'),
  ),
);

/** A text in which PostgreSQL finds trigrams, whatever its locale. */
const hasTrigrams = /[a-z\d]{3}/i;

async function findPartsByPostgres(db: Db, filter: string) {
  const [index] = await findIndex(db, {});
  if (!index?.marked) return undefined;
  return findByPostgres(db, { pattern: `%${filter.replace(/[\\%_]/g, String.raw`\$&`)}%` });
}

const readOthers = prepareSearch(
  Account,
  'account',
  (db, wanted: Wanted) => selectWanted(db, wanted).where(positionIn(db, 'account.subject', wanted), '>', 1),
  async (db, { filter }) => {
    if (isForPostgres(db.kysely))
      return hasTrigrams.test(filter) ? findPartsByPostgres(db, filter) : undefined;
    const trigrams = toTrigrams(filter);
    return trigrams === undefined ? undefined : findBySqlite(db, { trigrams });
  },
);

/** Reads a page of the accounts whose subject contains a text: first those that begin with it, each newest first. */
export const readMatching = readInTurn(readBeginning, readOthers);
