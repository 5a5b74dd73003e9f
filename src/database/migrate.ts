import { readdir } from 'node:fs/promises';
import { type MikroORM, TableNotFoundException } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { openDatabase } from './database.ts';
import { isPostgres, migrationsFolder } from './options.ts';

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
  if (!isPostgres(config)) return runMigrations(orm);
  // On connections of its own: waiting for another node, or changing a large table, may take longer than a request.
  const timeouts = { ...config.timeouts, statement: patience, idleInTransaction: patience };
  await using own = await openDatabase({ ...config, poolSize: 2, timeouts });
  await own.em.fork().transactional(async (em) => {
    // Held until the transaction ends, however it ends; the migrations themselves run on the other connection.
    await em
      .getConnection()
      .execute('select pg_advisory_xact_lock(?)', [lockId], 'all', em.getTransactionContext());
    await runMigrations(own);
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

/** Whether every migration is applied; asked without the migrator, which most starts then never load. */
async function isMigrated(orm: Orm, config: DatabaseConfig): Promise<boolean> {
  const files = await readdir(migrationsFolder(config));
  const applied = new Set(await appliedMigrations(orm));
  return files.filter((file) => file.endsWith('.ts')).every((file) => applied.has(file.slice(0, -3)));
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

async function runMigrations(orm: Orm): Promise<void> {
  const { Migrator } = await import('@mikro-orm/migrations');
  await new Migrator(orm.em).up();
}
