import type { Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../api-keys/api-key.entity.ts';
import { ApiKeySecret } from '../api-keys/api-key-secret.entity.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { AutomationSettings } from '../automation-settings/automation-settings.entity.ts';
import type { DatabaseConfig } from '../config/config.ts';
import { PrivateKey } from '../private-key/private-key.entity.ts';

/** Whether a database is PostgreSQL; it is SQLite otherwise. */
export const isPostgres = ({ url }: Pick<DatabaseConfig, 'url'>): boolean => !url.startsWith('sqlite:');

/** The path of the SQLite file behind a URL, or `:memory:`. */
export const sqliteFile = ({ url }: Pick<DatabaseConfig, 'url'>): string => url.slice('sqlite:'.length);

/** The ORM's options, for the service and for the ORM's command line alike. */
export async function databaseOptions(config: DatabaseConfig): Promise<Partial<Options<AbstractSqlDriver>>> {
  return {
    // Each driver is loaded where it is used: a start is quicker without the other.
    ...(await (isPostgres(config) ? postgresOptions : sqliteOptions)(config)),
    entities: [Account, ApiKey, ApiKeySecret, AuditEvent, AutomationSettings, PrivateKey],
    migrations: { snapshotOnMigrate: false, silent: true },
    logger: () => {},
  };
}

const sqliteOptions = async (config: DatabaseConfig) => ({
  driver: (await import('@mikro-orm/sqlite')).SqliteDriver,
  dbName: sqliteFile(config),
});

/** `pg` reads the URL itself, TLS included (`?sslmode=verify-full`). All times in milliseconds. */
const postgresOptions = async ({ url, poolSize, timeouts }: DatabaseConfig) => ({
  driver: (await import('@mikro-orm/postgresql')).PostgreSqlDriver,
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
});

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
