import { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type Sqlite from 'better-sqlite3';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { mendTransactions } from './mend-transactions.ts';
import { databaseOptions, isPostgres, sqliteFile } from './options.ts';
import { createPrivately, lockFile } from './sqlite-file.ts';
import { keepStatements } from './sqlite-statements.ts';

/** An open database; disposing of it closes it. */
export type Database = MikroORM<AbstractSqlDriver> & AsyncDisposable;

/**
 * Opens the database; SQLite durably (write-ahead log, synced at each commit), and for this process alone.
 * A missing SQLite file is made.
 * @throws {ConfigError} where another process holds the file, or the database cannot be used
 */
export const openDatabase = (config: DatabaseConfig): Promise<Database> => open(config).catch(refuseFile);

async function open(config: DatabaseConfig): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const file = isPostgres(config) ? undefined : sqliteFile(config);
  if (file !== undefined && file !== ':memory:') {
    createPrivately(file);
    opened.use(lockFile(file));
  }
  const orm = new MikroORM<AbstractSqlDriver>(await databaseOptions(config));
  mendTransactions(orm);
  opened.defer(() => orm.close());
  await orm.connect().catch(isPostgres(config) ? refuseServer : undefined);
  if (file !== undefined) await makeDurable(orm);
  const stack = opened.move();
  return Object.assign(orm, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

/** Says why PostgreSQL cannot be used, by the code of the failure. */
function refuseServer(error: Error & { code?: string }): never {
  const fault = `DATABASE_URL names a database that cannot be used (${error.code ?? error.message}): is it there, and are user and password right?`;
  throw new ConfigError([fault], { cause: error });
}

/** Says why a file cannot be used, by the code of SQLite's failure or of the operating system's. */
function refuseFile(error: Error & { code?: string }): never {
  if (!/^(E[A-Z]+|SQLITE_\w+)$/.test(error.code ?? '')) throw error;
  const fault = `DATABASE_URL (or DATA_DIR) names a file that cannot be used (${error.code}): is it an SQLite database, and may this user write to it and to its folder?`;
  throw new ConfigError([fault], { cause: error });
}

async function makeDurable(orm: MikroORM<AbstractSqlDriver>): Promise<void> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<Sqlite.Database> };
  keepStatements(await connection.getNativeClient());
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']) {
    await orm.em.getConnection().execute(`pragma ${pragma}`);
  }
}
