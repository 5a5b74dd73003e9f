import Sqlite from 'better-sqlite3';
import type { Server } from './servers.ts';

/**
 * What a server writes down of changes from now on. Ids of requests differ from server to server: of those, whether
 * there is one.
 * A new account is not looked at: a server with both interfaces makes the stranger's by whichever is compared first.
 * @returns reads what was added, the oldest first; nothing where the server works with another database than SQLite
 */
export function watchEvents({ databaseFile }: Pick<Server, 'databaseFile'>): () => unknown[] {
  const ask = <Row>(query: string, ...values: number[]): Row[] => {
    if (databaseFile === undefined) return [];
    const database = new Sqlite(databaseFile, { readonly: true });
    try {
      return database.prepare<number[], Row>(query).all(...values);
    } finally {
      database.close();
    }
  };
  const [last] = ask<{ id: number }>('select coalesce(max(id), 0) as id from audit_event');
  return () =>
    ask(
      `select account_id, action, target, request <> '' as has_request, address from audit_event
       where id > ? and action <> 'account-created' order by id`,
      last?.id ?? 0,
    );
}
