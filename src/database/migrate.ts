import { setTimeout } from 'node:timers/promises';
import { type MikroORM, TableNotFoundException, type Transaction } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { adopt, isAdoptable } from './adopt.ts';
import { backendOf, isPostgres, openDatabase } from './database.ts';
import { postgresMigrations, sqliteMigrations } from './migration-lists.ts';

type Orm = MikroORM<AbstractSqlDriver>;

/**
 * The number of the migrations' advisory lock. Other programs may take locks with other numbers in the same database.
 */
const lockId = 0x6b657977;

/** The longest time for migrations, in milliseconds. */
const patience = 24 * 60 * 60 * 1000;

/**
 * The end of the name of a compatible migration: it only adds indexes, so versions that do not know it can still
 * work.
 */
const compatible = /_compatible$/;

/**
 * How long a migration waits for one table that it locks, in milliseconds: less than PostgreSQL's `deadlock_timeout`.
 * Requests for that table wait as long.
 */
const lockPatience = 500;

/** How often a migration tries to lock the tables. The tries take some minutes. */
const mostTries = 300;

/** The greatest pause before the next try, in milliseconds. */
const longestPause = 1000;

/** The commit whose migrations bring an older database to where this version can go on. */
export const lastBefore = '0177548';

/**
 * Updates the schema, or only checks it, as the configuration says.
 * @throws {ConfigError} if the schema is newer than this version, or is older and may not be updated
 */
export async function prepareSchema(orm: Orm, config: DatabaseConfig): Promise<void> {
  await (config.migrateAtStart ? migrate : assertMigrated)(orm, config);
}

/**
 * Updates the schema. If several nodes do this at once, one of them works and the others wait.
 * @returns the names of the migrations that this call applied; empty if another node applied them, or none were
 *   missing
 * @throws {ConfigError} if the schema is newer than this version or older than its first migration, or the SQLite
 *   file cannot take the change (on a full disk, for example)
 */
export async function migrate(orm: Orm, config: DatabaseConfig): Promise<readonly string[]> {
  if (await isMigrated(orm, config)) return [];
  if (!isPostgres(config))
    return runMigrations(orm, config).catch(async (error) => (await backendOf(config)).refuse(error));
  // Uses its own connections, because waiting for another node or changing a large table may take longer than a
  // request: one for the lock below, one for the transaction of the migrations, and one for what the migrator asks
  // beside it.
  const timeouts = { ...config.timeouts, statement: patience, idleInTransaction: patience };
  // The caller's own connections have already given the warnings.
  await using own = await openDatabase({ ...config, poolSize: 3, timeouts }, () => {});
  return await own.em.fork().transactional(async (em) => {
    // This transaction holds the lock until its end, whatever that is; the migrations run on another connection.
    await em
      .getConnection()
      .execute('select pg_advisory_xact_lock(?)', [lockId], 'all', em.getTransactionContext());
    // While this node waited, a node of another version may have migrated the schema.
    if (await isMigrated(own, config)) return [];
    if (own.migrationFault !== undefined) throw new ConfigError([own.migrationFault]);
    return runMigrations(own, config);
  });
}

/**
 * Checks that the schema is the one of this version.
 * @throws {ConfigError} if the schema is older or newer
 */
export async function assertMigrated(orm: Orm, config: DatabaseConfig): Promise<void> {
  if (await isMigrated(orm, config)) return;
  throw new ConfigError([
    'DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto',
  ]);
}

const migrationsOf = (config: DatabaseConfig) => (isPostgres(config) ? postgresMigrations : sqliteMigrations);

const namesOf = (config: DatabaseConfig) => Object.keys(migrationsOf(config)) as [string, ...string[]];

/**
 * Whether all migrations are applied. This works without the migrator, so most starts never load it.
 * @throws {ConfigError} if unknown migrations are applied too
 */
async function isMigrated(orm: Orm, config: DatabaseConfig): Promise<boolean> {
  const applied = await appliedMigrations(orm);
  const known = namesOf(config);
  const newer = newerOf(applied, config);
  if (newer.length > 0)
    throw new ConfigError([
      `DATABASE_URL names a database whose schema is newer than this version (${newer.join(', ')}): start the version that has migrated it, or a later one`,
    ]);
  refuseOlder(applied, known[0], config);
  return known.every((name) => applied.includes(name));
}

/**
 * The applied migrations that this version neither knows nor can work with. With them, this version would ignore what
 * the newer version refuses, and could write values that the newer version does not expect.
 */
function newerOf(applied: readonly string[], config: DatabaseConfig): readonly string[] {
  const known = namesOf(config);
  return applied.filter((name) => name > known[0] && !known.includes(name) && !compatible.test(name));
}

/**
 * Refuses a database that has only some of the migrations from before the first one here: the first migration would
 * make tables that already exist.
 * @throws {ConfigError}
 */
function refuseOlder(applied: readonly string[], first: string, config: DatabaseConfig): void {
  if (applied.length === 0 || applied.includes(first) || isAdoptable(applied, first, config)) return;
  throw new ConfigError([
    `DATABASE_URL names a database that was last migrated before ${first}, with which this version begins: update it with \`npm run db:migrate\` of commit ${lastBefore}, and then with this version's`,
  ]);
}

/**
 * Describes the schema changes that a newer version made while this version runs, and with which this version cannot
 * work.
 * @returns the changes in words, for an operator; undefined without changes
 */
export async function newerChanges(orm: Orm, config: DatabaseConfig): Promise<string | undefined> {
  const newer = newerOf(await appliedMigrations(orm), config);
  return newer.length > 0 ? `its schema is newer than this version (${newer.join(', ')})` : undefined;
}

/** The names of the applied migrations; empty for an empty database. */
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
  const [first] = namesOf(config);
  if (isAdoptable(await appliedMigrations(orm), first, config)) await adopt(orm, first, config);
  const { Migrator } = await import('@mikro-orm/migrations');
  const modules = await Promise.all(Object.values(migrationsOf(config)).map((load) => load()));
  const migrationsList = modules.flatMap((module) =>
    Object.entries(module).map(([name, migration]) => ({ name, class: migration })),
  );
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList });
  const migrator = new Migrator(orm.em);
  const before = await appliedMigrations(orm);
  const isCompatible = namesOf(config).every((name) => before.includes(name) || compatible.test(name));
  const applied =
    isPostgres(config) && !isCompatible
      ? await withTablesLocked(orm, (transaction) => migrator.up({ transaction }))
      : await migrator.up();
  return applied.map(({ name }) => name);
}

/**
 * Runs migrations in a transaction that has locked all tables before. Otherwise a migration and the requests of the
 * nodes that still serve would each hold a table that the other waits for: a verification holds the key's and waits for
 * the account's, which the migration holds while it builds an index, and then waits for the key's. A try that waits too
 * long lets the requests go on.
 */
async function withTablesLocked<Result>(
  orm: Orm,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const names = [...orm.getMetadata().getAll().values()].map(({ tableName }) => tableName);
  for (let left = mostTries; ; left -= 1) {
    try {
      return await orm.em.fork().transactional(async (em) => {
        const transaction = em.getTransactionContext();
        const connection = em.getConnection();
        const execute = <Row>(statement: string, values: unknown[] = []) =>
          connection.execute<Row[]>(statement, values, 'all', transaction);
        const [found] = await execute<{ tables: string | null }>(
          `select string_agg(quote_ident(tablename), ', ' order by tablename) as tables from pg_tables
           where schemaname = current_schema() and tablename = any(string_to_array(?, ','))`,
          [names.join()],
        );
        await execute(`set local lock_timeout = ${lockPatience}`);
        if (found?.tables) await execute(`lock table ${found.tables} in access exclusive mode`);
        await execute('set local lock_timeout = 0');
        return run(transaction);
      });
    } catch (error) {
      if (left === 0 || !isLocked(error)) throw error;
      await setTimeout(Math.random() * longestPause);
    }
  }
}

/** Whether others hold a table, or wait for one in another order. */
const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');
