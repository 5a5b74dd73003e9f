import { randomUUID } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import { inject } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { migrate } from '../../src/database/migrate.ts';
import { type SqliteConnections, SqliteDialect } from '../../src/database/sqlite/driver.ts';
import { Account } from '../../src/database/tables.ts';
import { searchPath } from './database-clock.ts';

/** The most connections of a test's database to PostgreSQL. */
const poolSize = 5;

/** The configuration of a database of the tests. */
export const databaseConfig = (url: string): DatabaseConfig => ({
  url,
  migrateAtStart: true,
  poolSize,
  statements: 'named',
  timeouts: { connect: 5000, statement: 10_000, idleInTransaction: 10_000 },
});

const tables = [
  'webhook_clock',
  'webhook_delivery',
  'webhook_event',
  'webhook_endpoint',
  'imported_form',
  'idempotency_record',
  'audit_event',
  'private_key',
  'automation_settings',
  'api_key_secret',
  'api_key',
  'account',
];

/** Those whose rows are named by what they belong to, and so have no numbers. */
const unnumbered = ['account_use', 'account_quota', 'api_key_use', 'api_key_quota'];

/** Those that nobody uses any more: empty, and still open. */
const spare: Database[] = [];

/**
 * An empty database, migrated: SQLite in memory, or one of its own on the PostgreSQL server of the test run. Disposing
 * of it gives it to whoever wants the next.
 */
export async function openTestDatabase(): Promise<Database> {
  const database = spare.pop() ?? (await openAnother());
  const close = database[Symbol.asyncDispose];
  const giveBack = async () => {
    database[Symbol.asyncDispose] = close;
    if (await isEmptied(database)) spare.push(database);
    else await close();
  };
  return Object.assign(database, { [Symbol.asyncDispose]: giveBack });
}

async function openAnother(): Promise<Database> {
  const server = inject('postgresUrl');
  const config = databaseConfig(
    server === undefined ? 'sqlite::memory:' : await createOnServer(server, inject('postgresTemplate')),
  );
  const database = await openDatabase(config);
  await migrate(database, config);
  return database;
}

/** The connections of an SQLite database, below everything else; undefined for PostgreSQL. */
export const sqliteConnections = ({ dialect }: Database): SqliteConnections | undefined =>
  dialect instanceof SqliteDialect ? dialect.connections : undefined;

/** The connection of an SQLite database that writes, below everything else. */
export function writerOf(database: Database): Sqlite.Database {
  const { writer } = sqliteConnections(database) ?? {};
  if (!writer) throw new Error('This is no SQLite database');
  return writer;
}

/** A transaction as operations have it, in which statements are run as they are written. */
export const inTransaction = <Result>(
  database: Database,
  work: (execute: (statement: string) => Promise<object[]>) => Promise<Result>,
): Promise<Result> =>
  new Db(database.em).transaction((db) => work((statement) => db.run(CompiledQuery.raw(statement), Account)));

/**
 * Makes a database on a server; returns its URL.
 * @param template the database there that it is a copy of: an empty one, unless told otherwise
 */
export async function createOnServer(server: string, template = 'template1'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await using maintenance = await openDatabase(databaseConfig(server));
  const connection = maintenance.em.getConnection();
  // To write a copy to the log takes ten times the work.
  await connection.execute(`create database ${name} template ${template} strategy file_copy`);
  await connection.execute(`alter database ${name} set search_path = ${searchPath}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** Empties a database for another test; false where it cannot be, because a test has broken it on purpose. */
export async function isEmptied(database: Database): Promise<boolean> {
  try {
    await empty(database);
    return true;
  } catch {
    return false;
  }
}

async function empty(database: Database): Promise<void> {
  await bringBack(database);
  if (inject('postgresUrl') === undefined) emptySqlite(writerOf(database));
  else await emptyPostgres(database);
}

/** Deletes every row; next to nothing has to be done after a test that has stored nothing. */
function emptySqlite(writer: Sqlite.Database): void {
  // Fails where one is missing.
  writer.exec(`select 1 from ${[...tables, ...unnumbered].join(', ')} limit 0`);
  // The number of its last row is kept there for each table that has had one.
  const counted = writer.prepare('delete from sqlite_sequence returning name').pluck().all();
  const filled = tables.filter((table) => counted.includes(table));
  // Triggers keep some rows from being deleted.
  const triggers = writer
    .prepare<[string], { name: string; sql: string }>(
      "select name, sql from sqlite_master where type = 'trigger' and tbl_name in (select value from json_each(?))",
    )
    .all(JSON.stringify(filled));
  for (const { name } of triggers) writer.exec(`drop trigger ${name}`);
  for (const table of [...unnumbered, ...filled]) writer.exec(`delete from ${table}`);
  // The triggers would have kept it up to date.
  if (filled.includes('account'))
    writer.exec("insert into account_search (account_search) values ('rebuild')");
  for (const { sql } of triggers) writer.exec(sql);
}

/**
 * Deletes every row in one round trip, and begins to count from 1 again. As a replica it runs no triggers, which keep
 * some rows from being deleted. To `truncate` makes new files: that takes 40 times as long where there are few rows.
 */
async function emptyPostgres(database: Database): Promise<void> {
  await database.em.getConnection().execute(`do $$ begin
    set local session_replication_role = replica;
    ${[...unnumbered, ...tables, 'rate_limit'].map((table) => `delete from ${table};`).join('\n    ')}
    if to_regclass('clock.moved') is not null then delete from clock.moved; end if;
    ${tables.map((table) => `perform setval('${table}_id_seq', 1, false);`).join('\n    ')}
  end $$`);
}

/** Runs the same statement on each of PostgreSQL's connections: none is given back before all are taken. */
async function onEveryConnection(database: Database, statement: string): Promise<void> {
  const { promise: allTaken, resolve } = Promise.withResolvers<void>();
  let taken = 0;
  const take = () =>
    database.em.fork().transactional(async (em) => {
      await em.getConnection().execute(statement, [], 'run', em.getTransactionContext());
      taken += 1;
      if (taken === poolSize) resolve();
      await allTaken;
    });
  await Promise.all(Array.from({ length: poolSize }, take));
}

/** Lets a database be read alone, as one that is full, or a standby; or be written again. */
export async function setReadOnly(database: Database, readOnly: boolean): Promise<void> {
  if (inject('postgresUrl') === undefined) {
    writerOf(database).pragma(`query_only = ${readOnly ? 'on' : 'off'}`);
    return;
  }
  const access = `set session characteristics as transaction ${readOnly ? 'read only' : 'read write'}`;
  // The pool replaces the connections of a server that takes no writes, so new ones must be like them.
  const ofNew = `do $$ begin
    execute format('alter database %I set default_transaction_read_only = ${readOnly}', current_database());
  end $$`;
  if (readOnly) await database.em.getConnection().execute(ofNew);
  await onEveryConnection(database, access);
  if (!readOnly) await database.em.getConnection().execute(ofNew);
}

/** The tables of each database that are away. */
const dropped = new WeakMap<Database, string[]>();

/** Takes a table away, as if it had been dropped; it is back when the database is emptied. */
export async function dropTable(database: Database, table: string): Promise<void> {
  await database.em.getConnection().execute(`alter table ${table} rename to ${table}_dropped`);
  dropped.set(database, [...(dropped.get(database) ?? []), table]);
}

async function bringBack(database: Database): Promise<void> {
  for (const table of dropped.get(database) ?? [])
    await database.em.getConnection().execute(`alter table ${table}_dropped rename to ${table}`);
  dropped.delete(database);
}

/** Lets the database refuse every new account with a message that repeats the subject, until it is disposed of. */
export async function refuseAccounts(database: Database): Promise<AsyncDisposable> {
  const connection = database.em.getConnection();
  if (inject('postgresUrl') === undefined) {
    const abort = "select raise(abort, 'refused: ' || new.subject);";
    await connection.execute(`create trigger refuse before insert on account begin ${abort} end`);
    return { [Symbol.asyncDispose]: async () => void (await connection.execute('drop trigger refuse')) };
  }
  const body = "begin raise exception 'refused: %', new.subject; end";
  await connection.execute(`create function refuse() returns trigger language plpgsql as $$ ${body} $$`);
  await connection.execute(
    'create trigger refuse before insert on account for each row execute function refuse()',
  );
  return {
    [Symbol.asyncDispose]: async () => void (await connection.execute('drop function refuse cascade')),
  };
}

/** Takes a PostgreSQL database away from whoever uses it. */
export async function dropDatabase(database: Database): Promise<void> {
  const [row] = await database.em.getConnection().execute('select current_database() as name');
  await using maintenance = await openDatabase(databaseConfig(inject('postgresUrl') ?? ''));
  await maintenance.em.getConnection().execute(`drop database ${row?.['name']} with (force)`);
}

/** Lets the database refuse every new row of a table, until it is disposed of. */
export async function refuseRows(
  database: Database,
  table: string,
  change: 'insert' | 'update' = 'insert',
): Promise<AsyncDisposable> {
  const connection = database.em.getConnection();
  const undo = inject('postgresUrl') === undefined ? 'drop trigger' : 'drop function';
  const cascade = inject('postgresUrl') === undefined ? '' : ' cascade';
  const statements =
    inject('postgresUrl') === undefined
      ? [`create trigger refuse_rows before ${change} on ${table} begin select raise(abort, 'refused'); end`]
      : [
          "create function refuse_rows() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
          `create trigger refuse_rows before ${change} on ${table} for each row execute function refuse_rows()`,
        ];
  for (const statement of statements) await connection.execute(statement);
  return {
    [Symbol.asyncDispose]: async () => void (await connection.execute(`${undo} refuse_rows${cascade}`)),
  };
}
