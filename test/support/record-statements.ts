import type Sqlite from 'better-sqlite3';
import type { DatabaseConnection } from 'kysely';
import { vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';

/** What a database was asked to do. */
export interface Statements {
  /** The SQL of each statement, BEGIN and COMMIT included, in order. */
  readonly sql: readonly string[];
  /** SQLite: what each was prepared as. A statement that is kept comes again as the same object. */
  readonly prepared: readonly unknown[];
}

/** Runs something and returns the statements that reached the database meanwhile, from whoever they came. */
export async function recordStatements(database: Database, run: () => Promise<unknown>): Promise<Statements> {
  const executed = vi.spyOn(await connectionPrototype(database), 'executeQuery');
  const prepare = await spyOnPrepare(database);
  await run();
  const sql = executed.mock.calls.map(([query]) => query.sql);
  const prepared = prepare?.mock.results.map(({ value }) => value) ?? [];
  executed.mockRestore();
  prepare?.mockRestore();
  return { sql, prepared };
}

/** What all connections of the driver have in common: a pool may use any of them, and open others. */
const connectionPrototype = (database: Database): Promise<DatabaseConnection> =>
  database.em
    .getKysely()
    .getExecutor()
    .provideConnection(async (connection) => Object.getPrototypeOf(connection));

async function spyOnPrepare(database: Database) {
  const connection = database.em.getConnection() as unknown as { getNativeClient(): Promise<object> };
  const client = await connection.getNativeClient();
  return 'prepare' in client ? vi.spyOn(client as Sqlite.Database, 'prepare') : undefined;
}
