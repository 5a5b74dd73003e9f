import { AsyncLocalStorage } from 'node:async_hooks';
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

/** Marks what a recorded run does. */
const recorded = new AsyncLocalStorage<object>();

/**
 * Runs something and returns the statements that it sent to the database, also those of what it started in the
 * background. What others in this process send meanwhile is left out, such as the timers of an earlier test.
 */
export async function recordStatements(database: Database, run: () => Promise<unknown>): Promise<Statements> {
  const prototype = await connectionPrototype(database);
  const { executeQuery } = prototype;
  const own = {};
  const sent: string[] = [];
  const executed = vi.spyOn(prototype, 'executeQuery').mockImplementation(function (
    this: DatabaseConnection,
    query,
  ) {
    if (recorded.getStore() === own) sent.push(query.sql);
    return executeQuery.call(this, query) as never;
  });
  const prepares = spyOnPrepare(database);
  await recorded.run(own, run);
  const sql = sent.filter((text) => !isControl(text));
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
