import { MikroORM, type Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { CompiledQuery } from 'kysely';
import type { DatabaseConfig } from '../config/config.ts';
import { firstError } from '../first-error.ts';
import type { Backend, Findings, Warn } from './backend.ts';
import { entities } from './tables.ts';

/** An open database; disposing of it closes the database. */
export type Database = MikroORM<AbstractSqlDriver> &
  AsyncDisposable & { readonly [Part in 'dialect' | 'pool' | 'walSize' | 'check']: Backend[Part] } & Pick<
    Findings,
    'risks' | 'migrationFault'
  >;

/**
 * Opens the database: a server's database or a file. A missing file is made.
 * @param warn receives a message for each setting that the database cannot apply, and that the service does without
 * @throws {ConfigError} if another process holds the file, or the database is unusable
 * @throws {NotThereError} if the server does not answer, or accepts no connections at the moment
 */
export async function openDatabase(config: DatabaseConfig, warn: Warn = warnOperator): Promise<Database> {
  const backend = await backendOf(config, warn);
  return open(backend);
}

/**
 * Opens the database for a command that runs beside the service and writes a little at a time. An SQLite file must
 * exist; the command does not lock it.
 * @throws like {@link openDatabase}
 */
export async function openBeside(config: DatabaseConfig): Promise<Database> {
  const { hold, assertThere, ...shared } = await backendOf(config, warnOperator);
  assertThere?.();
  return open(shared);
}

const warnOperator: Warn = (message) => void process.stderr.write(`Warning: ${message}.\n`);

/** @throws what the backend makes of the first error: the clean-up after it may fail too */
const open = (backend: Backend): Promise<Database> =>
  openParts(backend).catch((error) => backend.refuse(firstError(error) as Error));

async function openParts(backend: Backend): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  opened.use(backend.hold?.());
  const orm = new MikroORM<AbstractSqlDriver>(databaseOptions(backend));
  opened.defer(() => orm.close());
  await orm.connect();
  // By Kysely, because otherwise it would not know that there is a pool to close.
  const run = async (query: CompiledQuery) => (await orm.em.getKysely().executeQuery(query)).rows;
  const { database, risks = [], migrationFault } = (await backend.examine?.(run)) ?? {};
  if (database !== undefined) orm.config.set('dbName', database);
  const { dialect, pool, walSize, check } = backend;
  const stack = opened.move();
  const dispose = { [Symbol.asyncDispose]: () => stack.disposeAsync() };
  return Object.assign(orm, { dialect, pool, walSize, check, risks, migrationFault }, dispose);
}

/** Whether a database is PostgreSQL; otherwise it is SQLite. */
export const isPostgres = ({ url }: Pick<DatabaseConfig, 'url'>): boolean => !url.startsWith('sqlite:');

/** The backend of the configured database. Each backend loads only if it is in use, so that a start is quicker. */
export const backendOf = async (config: DatabaseConfig, warn: Warn = () => {}): Promise<Backend> =>
  isPostgres(config)
    ? (await import('./postgresql/options.ts')).postgresOptions(config, warn)
    : (await import('./sqlite/options.ts')).sqliteOptions(config, warn);

/** The ORM's options, both for the service and for the ORM's command line. */
export const databaseOptions = ({ options }: Backend): Partial<Options<AbstractSqlDriver>> => ({
  ...options,
  entities,
  // The ORM does not know SQLite's virtual tables.
  schemaGenerator: { skipTables: [/^account_search/] },
  migrations: { snapshotOnMigrate: false, silent: true },
  logger: () => {},
});
