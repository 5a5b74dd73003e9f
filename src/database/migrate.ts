import { type MikroORM, TableNotFoundException } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { openDatabase } from './database.ts';
import { postgresMigrations, sqliteMigrations } from './migration-lists.ts';
import { isPostgres } from './options.ts';

type Orm = MikroORM<AbstractSqlDriver>;

/** Names the advisory lock of migrations, among those that others may take in the same database. */
const lockId = 0x6b657977;

/** How long migrations may take, in milliseconds. */
const patience = 24 * 60 * 60 * 1000;

/**
 * Makes the schema the one that this version works with, or makes sure that it is, as the configuration says.
 * @throws {ConfigError} where it is older and may not be changed
 */
export const prepareSchema = (orm: Orm, config: DatabaseConfig): Promise<void> =>
  (config.migrateAtStart ? migrate : assertMigrated)(orm, config);

/** Brings the schema up to date; of several nodes that do so at once, one works and the others wait. */
export async function migrate(orm: Orm, config: DatabaseConfig): Promise<void> {
  if (await isMigrated(orm, config)) return;
  if (!isPostgres(config)) return runMigrations(orm, config);
  // On connections of its own: waiting for another node, or changing a large table, may take longer than a request.
  const timeouts = { ...config.timeouts, statement: patience, idleInTransaction: patience };
  // What there is to warn of, the caller's own connections have told.
  await using own = await openDatabase({ ...config, poolSize: 2, timeouts }, () => {});
  await own.em.fork().transactional(async (em) => {
    // Held until the transaction ends, however it ends; the migrations themselves run on the other connection.
    await em
      .getConnection()
      .execute('select pg_advisory_xact_lock(?)', [lockId], 'all', em.getTransactionContext());
    await runMigrations(own, config);
  });
}

/**
 * Makes sure that the schema is the one that this version works with.
 * @throws {ConfigError} where it is older
 */
export async function assertMigrated(orm: Orm, config: DatabaseConfig): Promise<void> {
  if (await isMigrated(orm, config)) return;
  throw new ConfigError([
    'DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto',
  ]);
}

const migrationsOf = (config: DatabaseConfig) => (isPostgres(config) ? postgresMigrations : sqliteMigrations);

/** Whether every migration is applied; asked without the migrator, which most starts then never load. */
async function isMigrated(orm: Orm, config: DatabaseConfig): Promise<boolean> {
  const applied = new Set(await appliedMigrations(orm));
  return Object.keys(migrationsOf(config)).every((name) => applied.has(name));
}

/** The names of the migrations that are applied; none in an empty database. */
async function appliedMigrations(orm: Orm): Promise<string[]> {
  try {
    const rows = await orm.em.fork().execute<{ name: string }[]>('select name from mikro_orm_migrations');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof TableNotFoundException) return [];
    throw error;
  }
}

async function runMigrations(orm: Orm, config: DatabaseConfig): Promise<void> {
  const { Migrator } = await import('@mikro-orm/migrations');
  const migrationsList = await Promise.all(
    Object.entries(migrationsOf(config)).map(async ([name, load]) => ({ name, class: await load() })),
  );
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList });
  await new Migrator(orm.em).up();
}
