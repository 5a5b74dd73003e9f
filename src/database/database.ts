import { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import type { Backend, ConnectionPool } from './backend.ts';
import { mendTransactions } from './mend-transactions.ts';
import { backendOf, databaseOptions } from './options.ts';

/** An open database; disposing of it closes it. */
export type Database = MikroORM<AbstractSqlDriver> & AsyncDisposable & OpenDatabase;

interface OpenDatabase {
  readonly dialect: Backend['dialect'];
  /** Its pool of connections; undefined for SQLite, which has none. */
  readonly pool: ConnectionPool | undefined;
}

/**
 * Opens the database: a server's, or a file, which is made where it is missing.
 * @throws {ConfigError} where another process holds the file, or the database cannot be used
 * @throws {NotThereError} where its server does not answer, or takes no connections now
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const backend = await backendOf(config);
  return open(backend).catch(backend.refuse);
}

async function open(backend: Backend): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  opened.use(backend.hold?.());
  const orm = new MikroORM<AbstractSqlDriver>(databaseOptions(backend));
  mendTransactions(orm);
  opened.defer(() => orm.close());
  await orm.connect();
  await backend.ready?.(orm);
  const pool = await backend.pool?.(orm);
  const { dialect } = backend;
  const stack = opened.move();
  return Object.assign(orm, { dialect, pool, [Symbol.asyncDispose]: () => stack.disposeAsync() });
}
