import {
  type DatabaseConnection,
  PostgresDialect as KyselyDialect,
  PostgresDriver as KyselyDriver,
  type TransactionSettings,
} from 'kysely';
import { PostgresConnection } from './connection.ts';
import type { PostgresPool } from './pool.ts';

/** Kysely's dialect of PostgreSQL, with this service's own pool. */
export class PostgresDialect extends KyselyDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new PostgresDriver(this.#pool);
  }
}

/** Kysely's driver of PostgreSQL, with this service's own connections. */
class PostgresDriver extends KyselyDriver {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.connect(), this.#pool);
  }

  /** Names the isolation level: the operations take their locks for this one, whatever the database's default is. */
  override beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel = 'read committed' } = settings;
    return super.beginTransaction(connection, { ...settings, isolationLevel });
  }

  override commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.commit();
  }

  override rollbackTransaction(connection: PostgresConnection): Promise<void> {
    return connection.rollback();
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }
}
