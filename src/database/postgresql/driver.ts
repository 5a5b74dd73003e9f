import { type DatabaseConnection, PostgresDriver as KyselyDriver } from 'kysely';
import { PostgresConnection } from './connection.ts';
import type { PostgresPool } from './pool.ts';

/** Kysely's driver of PostgreSQL, with connections of our own. */
export class PostgresDriver extends KyselyDriver {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.connect(), this.#pool.statements);
  }

  /** Never fails: it would be told in place of why the transaction failed. What is still open, ends with its connection. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof PostgresConnection && !connection.answers) return;
    await super.rollbackTransaction(connection).catch(() => {});
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof PostgresConnection) connection.release();
  }
}
