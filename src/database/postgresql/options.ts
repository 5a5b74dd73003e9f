import type { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../../config/config.ts';
import type { Backend, ConnectionPool } from '../backend.ts';
import { refuseServer } from './refuse-server.ts';

/** PostgreSQL. `pg` reads the URL itself, TLS included (`?sslmode=verify-full`). All times in milliseconds. */
export const postgresOptions = ({ url, poolSize, timeouts }: DatabaseConfig): Backend => ({
  options: {
    driver: PostgreSqlDriver,
    clientUrl: url,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionString: url,
      application_name: 'keyward',
      keepAlive: true,
      connectionTimeoutMillis: timeouts.connect,
      statement_timeout: timeouts.statement,
      query_timeout: timeouts.statement + 1000,
      idle_in_transaction_session_timeout: timeouts.idleInTransaction,
      onPoolCreated: dropUnfinished,
    },
  },
  pool: poolOf,
  refuse: refuseServer,
});

function poolOf(orm: MikroORM<AbstractSqlDriver>): Promise<ConnectionPool> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<ConnectionPool> };
  return connection.getNativeClient();
}

/** What is used of a connection of `pg`'s and of its pool. */
interface Client {
  /** The query that it has not been answered yet. Not part of pg's documented interface; undefined counts as none. */
  readonly _activeQuery?: unknown;
  /** `I`: no transaction is open. */
  getTransactionStatus(): string | null;
  end(): Promise<void>;
}

interface ClientPool {
  on(event: 'release', listener: (error: unknown, client: Client) => void): unknown;
}

/**
 * Keeps connections out of the pool that still have a query to answer (one that took too long) or a transaction open:
 * a BEGIN that is carried out late would swallow whatever the connection is used for next.
 */
const dropUnfinished = (pool: ClientPool): void => {
  pool.on('release', (_error, client) => {
    // A client that is ending is not taken back.
    if (client._activeQuery || client.getTransactionStatus() !== 'I') client.end().catch(() => {});
  });
};
