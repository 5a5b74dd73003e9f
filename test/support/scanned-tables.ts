import type { Database } from '../../src/database/database.ts';
import { sqliteConnections } from './database.ts';

/** Tables that stay small: what operators set up, and the forms of imported keys. */
const small = ['imported_form', 'webhook_clock', 'webhook_endpoint'];

/**
 * The tables of which SQLite reads every row for a statement, whatever their size; none on PostgreSQL, whose plans depend
 * on how much there is.
 */
export function scannedTables(database: Database, sql: string): string[] {
  const { reader } = sqliteConnections(database) ?? {};
  if (!reader) return [];
  const tables = reader
    .prepare<[], string>("select name from sqlite_master where type = 'table'")
    .pluck()
    .all();
  const values = sql.match(/\?/g)?.map(() => null) ?? [];
  const plan = reader.prepare<null[], { detail: string }>(`explain query plan ${sql}`).all(...values);
  const scanned = plan.map(({ detail }) => /^SCAN (\w+)/.exec(detail)?.[1] ?? '');
  return scanned.filter((table) => tables.includes(table) && !small.includes(table));
}
