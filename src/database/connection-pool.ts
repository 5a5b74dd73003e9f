import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { isPostgres } from './options.ts';

/** What is known of the connections to PostgreSQL: those of `pg`'s pool. */
export interface ConnectionPool {
  /** Connections that are open. */
  readonly totalCount: number;
  /** Those of them that nobody uses. */
  readonly idleCount: number;
  /** Who waits for one. */
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** The connections of an open database; undefined for SQLite, which has no pool. */
export async function connectionPoolOf(
  orm: MikroORM<AbstractSqlDriver>,
  config: DatabaseConfig,
): Promise<ConnectionPool | undefined> {
  if (!isPostgres(config)) return undefined;
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<ConnectionPool> };
  return connection.getNativeClient();
}
