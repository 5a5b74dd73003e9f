import { MikroORM, type Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import type { Backend, ConnectionPool, Warn } from './backend.ts';
import { entities } from './tables.ts';

/** An open database; disposing of it closes it. */
export type Database = MikroORM<AbstractSqlDriver> & AsyncDisposable & OpenDatabase;

interface OpenDatabase {
  readonly dialect: Backend['dialect'];
  /** Its pool of connections; undefined for SQLite, which has none. */
  readonly pool: ConnectionPool | undefined;
  /** How many bytes its write-ahead log takes up; undefined where it is in memory or on a server. */
  readonly walSize: Backend['walSize'];
  /**
   * Asks the database what it cannot do now, for example `PostgreSQL takes no writes: it is a standby`.
   * @returns undefined where nothing is wrong
   * @throws where it does not answer, within the time-outs of its configuration
   */
  readonly check: Backend['check'];
}

/**
 * Opens the database: a server's, or a file, which is made where it is missing.
 * @param warn told what of the configuration the database cannot do, and is done without
 * @throws {ConfigError} where another process holds the file, or the database cannot be used
 * @throws {NotThereError} where its server does not answer, or takes no connections now
 */
export async function openDatabase(config: DatabaseConfig, warn: Warn = tellOperator): Promise<Database> {
  const backend = await backendOf(config, warn);
  return open(backend).catch(backend.refuse);
}

/**
 * Opens the database for a command that works beside the service, and writes a little at a time. An SQLite file must be
 * there, and is not held.
 * @throws as `openDatabase`
 */
export async function openBeside(config: DatabaseConfig): Promise<Database> {
  const { hold, assertThere, ...shared } = await backendOf(config, tellOperator);
  assertThere?.();
  return open(shared).catch(shared.refuse);
}

const tellOperator: Warn = (message) => void process.stderr.write(`Warning: ${message}.\n`);

async function open(backend: Backend): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  opened.use(backend.hold?.());
  const orm = new MikroORM<AbstractSqlDriver>(databaseOptions(backend));
  opened.defer(() => orm.close());
  await orm.connect();
  await backend.ready?.(orm);
  const { dialect, pool, walSize, check } = backend;
  const stack = opened.move();
  return Object.assign(orm, {
    dialect,
    pool,
    walSize,
    check,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}

/** Whether a database is PostgreSQL; it is SQLite otherwise. */
export const isPostgres = ({ url }: Pick<DatabaseConfig, 'url'>): boolean => !url.startsWith('sqlite:');

/** What the sort of database brings that is configured. Each is loaded where it is used: a start is quicker without the other. */
export const backendOf = async (config: DatabaseConfig, warn: Warn = () => {}): Promise<Backend> =>
  isPostgres(config)
    ? (await import('./postgresql/options.ts')).postgresOptions(config, warn)
    : (await import('./sqlite/options.ts')).sqliteOptions(config, warn);

/** The ORM's options, for the service and for the ORM's command line alike. */
export const databaseOptions = ({ options }: Backend): Partial<Options<AbstractSqlDriver>> => ({
  ...options,
  entities,
  migrations: { snapshotOnMigrate: false, silent: true },
  logger: () => {},
});
