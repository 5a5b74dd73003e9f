import { type MikroORM, TableNotFoundException } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { backendOf, isPostgres, openDatabase } from './database.ts';
import { postgresMigrations, sqliteMigrations } from './migration-lists.ts';

type Orm = MikroORM<AbstractSqlDriver>;

/** Names the advisory lock of migrations, among those that others may take in the same database. */
const lockId = 0x6b657977;

/** How long migrations may take, in milliseconds. */
const patience = 24 * 60 * 60 * 1000;

/** How the name of a migration ends that versions which do not know it can live with: it adds indexes alone. */
const compatible = /_compatible$/;

/** The version that brings databases of before the first migration here to where that one begins. */
export const bridgingVersion = 'version 0.1.0 at commit 0177548';

/**
 * Makes the schema the one that this version works with, or makes sure that it is, as the configuration says.
 * @throws {ConfigError} where it is older and may not be changed, or newer
 */
export async function prepareSchema(orm: Orm, config: DatabaseConfig): Promise<void> {
  await (config.migrateAtStart ? migrate : assertMigrated)(orm, config);
}

/**
 * Brings the schema up to date; of several nodes that do so at once, one works and the others wait.
 * @returns the names of the migrations that were applied here; none where another was sooner, or all were there
 * @throws {ConfigError} where it is newer than this version, or from before its first migration, or the SQLite file
 *   cannot take it: on a full disk, for example
 */
export async function migrate(orm: Orm, config: DatabaseConfig): Promise<readonly string[]> {
  if (await isMigrated(orm, config)) return [];
  if (!isPostgres(config)) return migrateFile(orm, config);
  // On connections of its own: waiting for another node, or changing a large table, may take longer than a request.
  const timeouts = { ...config.timeouts, statement: patience, idleInTransaction: patience };
  // What there is to warn of, the caller's own connections have told.
  await using own = await openDatabase({ ...config, poolSize: 2, timeouts }, () => {});
  return await own.em.fork().transactional(async (em) => {
    // Held until the transaction ends, however it ends; the migrations themselves run on the other connection.
    await em
      .getConnection()
      .execute('select pg_advisory_xact_lock(?)', [lockId], 'all', em.getTransactionContext());
    // While it waited, a node of another version may have migrated.
    return (await isMigrated(own, config)) ? [] : runMigrations(own, config);
  });
}

async function migrateFile(orm: Orm, config: DatabaseConfig): Promise<readonly string[]> {
  try {
    return await runMigrations(orm, config);
  } catch (error) {
    return (await backendOf(config)).refuse(error as Error);
  }
}

/**
 * Makes sure that the schema is the one that this version works with.
 * @throws {ConfigError} where it is older or newer
 */
export async function assertMigrated(orm: Orm, config: DatabaseConfig): Promise<void> {
  if (await isMigrated(orm, config)) return;
  throw new ConfigError([
    'DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto',
  ]);
}

const migrationsOf = (config: DatabaseConfig) => (isPostgres(config) ? postgresMigrations : sqliteMigrations);

/**
 * Whether every migration is applied; asked without the migrator, which most starts then never load.
 * @throws {ConfigError} where there are others too
 */
async function isMigrated(orm: Orm, config: DatabaseConfig): Promise<boolean> {
  const applied = await appliedMigrations(orm);
  const known = Object.keys(migrationsOf(config));
  const newer = newerOf(applied, config);
  if (newer.length > 0)
    throw new ConfigError([
      `DATABASE_URL names a database whose schema is newer than this version (${newer.join(', ')}): start the version that has migrated it, or a later one`,
    ]);
  refuseOlder(applied, known);
  return known.every((name) => applied.includes(name));
}

/**
 * The migrations that this version does not know and cannot go on with: it would ignore what the newer one refuses, and
 * could write what that one does not expect.
 */
function newerOf(applied: readonly string[], config: DatabaseConfig): readonly string[] {
  const known = Object.keys(migrationsOf(config));
  const [first = ''] = known;
  return applied.filter((name) => name > first && !known.includes(name) && !compatible.test(name));
}

/** A database with migrations of before the first one here lacks that: it would make tables that are there already. */
function refuseOlder(applied: readonly string[], [first = '']: readonly string[]): void {
  if (applied.length === 0 || applied.includes(first)) return;
  throw new ConfigError([
    `DATABASE_URL names a database that was last migrated before ${first}, with which this version begins: run \`npm run db:migrate\` of ${bridgingVersion} first`,
  ]);
}

/**
 * What a newer version has changed in the schema while this one runs, and this one cannot go on with.
 * @returns it in words, for an operator; undefined: nothing
 */
export async function newerChanges(orm: Orm, config: DatabaseConfig): Promise<string | undefined> {
  const newer = newerOf(await appliedMigrations(orm), config);
  return newer.length > 0 ? `its schema is newer than this version (${newer.join(', ')})` : undefined;
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

async function runMigrations(orm: Orm, config: DatabaseConfig): Promise<readonly string[]> {
  const { Migrator } = await import('@mikro-orm/migrations');
  const migrationsList = await Promise.all(
    Object.entries(migrationsOf(config)).map(async ([name, load]) => ({ name, class: await load() })),
  );
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList });
  const applied = await new Migrator(orm.em).up();
  return applied.map(({ name }) => name);
}
