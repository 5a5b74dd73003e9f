import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import '@mikro-orm/migrations';
import { ConfigError, type DatabaseConfig } from '../config.ts';
import { openDatabase } from './database.ts';
import { isPostgres } from './options.ts';

/** Names the advisory lock of migrations, among those that others may take in the same database. */
const lockId = 0x6b657977;

/** How long migrations may take, in milliseconds. */
const patience = 24 * 60 * 60 * 1000;

/** Brings the schema up to date; of several nodes that do so at once, one works and the others wait. */
export async function migrate(orm: MikroORM<AbstractSqlDriver>, config: DatabaseConfig): Promise<void> {
  if (!isPostgres(config)) {
    await orm.migrator.up();
    return;
  }
  // On connections of its own: waiting for another node, or changing a large table, may take longer than a request.
  const timeouts = { ...config.timeouts, statement: patience, idleInTransaction: patience };
  await using own = await openDatabase({ ...config, poolSize: 2, timeouts });
  await own.em.fork().transactional(async (em) => {
    // Held until the transaction ends, however it ends; the migrations themselves run on the other connection.
    await em
      .getConnection()
      .execute('select pg_advisory_xact_lock(?)', [lockId], 'all', em.getTransactionContext());
    await own.migrator.up();
  });
}

/**
 * Makes sure that the schema is the one that this version works with.
 * @throws {ConfigError} where it is older
 */
export async function assertMigrated(orm: MikroORM<AbstractSqlDriver>): Promise<void> {
  const pending = await orm.migrator.getPending();
  if (pending.length === 0) return;
  throw new ConfigError([
    'DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto',
  ]);
}
