import type { Database, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** What SQLite has no type of its own for, as the ORM stores it. */
const toSqlite = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.getTime() : value;
};

/**
 * Prepares each statement once and keeps it; Kysely's dialect would prepare one anew for each query. Its values may be
 * dates and booleans.
 */
export function keepStatements(database: Database): void {
  const kept = new LRUCache<string, Statement<unknown[]>>({ max: 500 });
  const prepare = database.prepare.bind(database) as (sql: string) => Statement<unknown[]>;
  const prepareConverting = (sql: string) => {
    const statement = prepare(sql);
    const all = statement.all.bind(statement);
    const run = statement.run.bind(statement);
    return Object.assign(statement, {
      all: (values: unknown[]) => all(values.map(toSqlite)),
      run: (values: unknown[]) => run(values.map(toSqlite)),
    });
  };
  database.prepare = ((sql: string) => {
    const statement = kept.get(sql) ?? prepareConverting(sql);
    kept.set(sql, statement);
    return statement;
  }) as Database['prepare'];
}
