import { randomUUID } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import { inject } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { SqliteConnections } from '../../src/database/sqlite/connections.ts';
import { SqliteDialect } from '../../src/database/sqlite/dialect.ts';
import { Account } from '../../src/database/tables.ts';

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

const tables = ['audit_event', 'private_key', 'automation_settings', 'api_key_secret', 'api_key', 'account'];

/** An empty database, migrated: SQLite in memory, or one of its own on the PostgreSQL server of the test run. */
export async function openTestDatabase(): Promise<Database> {
  const server = inject('postgresUrl');
  const url = server === undefined ? 'sqlite::memory:' : await createOnServer(server);
  const config = databaseConfig(url);
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

/** Makes an empty database on a server; returns its URL. */
export async function createOnServer(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await using maintenance = await openDatabase(databaseConfig(server));
  await maintenance.em.getConnection().execute(`create database ${name}`);
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
  // Triggers keep some rows from being deleted.
  const connection = database.em.getConnection();
  if (inject('postgresUrl') !== undefined) {
    await connection.execute('alter table audit_event disable trigger user');
    await connection.execute(`truncate ${tables.join(', ')} restart identity`);
    await connection.execute('alter table audit_event enable trigger user');
    return;
  }
  const triggers = await connection.execute("select name, sql from sqlite_master where type = 'trigger'");
  for (const { name } of triggers) await connection.execute(`drop trigger ${name}`);
  for (const table of tables) await connection.execute(`delete from ${table}`);
  await connection.execute('delete from sqlite_sequence');
  for (const { sql } of triggers) await connection.execute(sql);
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
  const access = readOnly ? 'read only' : 'read write';
  await onEveryConnection(database, `set session characteristics as transaction ${access}`);
}

/** Drops a table, and what refers to it. */
export async function dropTable(database: Database, table: string): Promise<void> {
  const cascade = inject('postgresUrl') === undefined ? '' : ' cascade';
  await database.em.getConnection().execute(`drop table ${table}${cascade}`);
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
export async function refuseRows(database: Database, table: string): Promise<AsyncDisposable> {
  const connection = database.em.getConnection();
  const undo = inject('postgresUrl') === undefined ? 'drop trigger' : 'drop function';
  const cascade = inject('postgresUrl') === undefined ? '' : ' cascade';
  const statements =
    inject('postgresUrl') === undefined
      ? [`create trigger refuse_rows before insert on ${table} begin select raise(abort, 'refused'); end`]
      : [
          "create function refuse_rows() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
          `create trigger refuse_rows before insert on ${table} for each row execute function refuse_rows()`,
        ];
  for (const statement of statements) await connection.execute(statement);
  return {
    [Symbol.asyncDispose]: async () => void (await connection.execute(`${undo} refuse_rows${cascade}`)),
  };
}
