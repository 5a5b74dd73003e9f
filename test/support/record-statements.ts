import type { DatabaseConnection } from 'kysely';
import { vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openSession } from '../../src/database/postgresql/session.ts';
import { sqliteConnections } from './database.ts';

/** What a database was asked to do. */
export interface Statements {
  /** The SQL of each statement, in order; not what begins transactions and ends them, which may be for many at once, nor what a connection sends when it opens. */
  readonly sql: readonly string[];
  /** SQLite: those that were prepared for it. One that is kept is not. */
  readonly prepared: readonly string[];
}

/** Runs something and returns the statements that reached the database meanwhile, from whoever they came. */
export async function recordStatements(database: Database, run: () => Promise<unknown>): Promise<Statements> {
  const executed = vi.spyOn(await connectionPrototype(database), 'executeQuery');
  const prepares = spyOnPrepare(database);
  await run();
  const sql = executed.mock.calls.map(([query]) => query.sql).filter((text) => !isControl(text));
  const prepared = prepares.flatMap(({ mock }) => mock.calls.map(([text]) => text));
  for (const spy of [executed, ...prepares]) spy.mockRestore();
  return { sql, prepared };
}

const isControl = (sql: string): boolean =>
  /^(begin|start transaction|commit|rollback|savepoint|release)\b/i.test(sql) || sql === openSession.sql;

/** What all connections of the driver have in common: a pool may use any of them, and open others. */
const connectionPrototype = (database: Database): Promise<DatabaseConnection> =>
  database.em
    .getKysely()
    .getExecutor()
    .provideConnection(async (connection) => Object.getPrototypeOf(connection));

function spyOnPrepare(database: Database) {
  const { reader, writer } = sqliteConnections(database) ?? {};
  return [...new Set([reader, writer])]
    .filter((connection) => connection !== undefined)
    .map((connection) => vi.spyOn(connection, 'prepare'));
}
