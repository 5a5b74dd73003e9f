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
 * @throws {ConfigError} where another process holds the file, or PostgreSQL cannot be reached
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const file = isPostgres(config) ? undefined : sqliteFile(config);
  if (file !== undefined && file !== ':memory:') {
    createPrivately(file);
    opened.use(lockFile(file));
  }
  const orm = new MikroORM<AbstractSqlDriver>(await databaseOptions(config));
  mendTransactions(orm);
  opened.defer(() => orm.close());
  await orm.connect().catch(refuseDatabase(config));
  if (file !== undefined) await makeDurable(orm);
  const stack = opened.move();
  return Object.assign(orm, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

/** Says why PostgreSQL cannot be used, by the code of the failure; SQLite's failures are told as they are. */
const refuseDatabase =
  (config: DatabaseConfig) =>
  (error: Error & { code?: string }): never => {
    if (!isPostgres(config)) throw error;
    const fault = `DATABASE_URL names a database that cannot be used (${error.code ?? error.message}): is it there, and are user and password right?`;
    throw new ConfigError([fault], { cause: error });
  };

async function makeDurable(orm: MikroORM<AbstractSqlDriver>): Promise<void> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<Sqlite.Database> };
  keepStatements(await connection.getNativeClient());
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']) {
    await orm.em.getConnection().execute(`pragma ${pragma}`);
  }
}
