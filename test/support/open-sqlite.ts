import Sqlite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { SqliteDialect, type SqliteOptions } from '../../src/database/sqlite/driver.ts';

/** Its tables. */
export interface Words {
  readonly word: { readonly text: string };
}

/** A database in a file, by the dialect alone, with a table of words that are all different. */
export async function openSqlite(file: string, options: Partial<SqliteOptions> = {}) {
  const dialect = new SqliteDialect({ file, idle: 10_000, ...options });
  const kysely = new Kysely<Words>({ dialect });
  await sql`select 1`.execute(kysely);
  const { connections } = dialect;
  if (!connections) throw new Error('It is not open');
  connections.writer.exec('create table word (text text unique)');
  return {
    kysely,
    connections,
    /** The words that are committed, as another connection sees them. */
    committed: (): string[] => {
      const witness = new Sqlite(file, { readonly: true });
      const words = witness.prepare<[], string>('select text from word').pluck().all();
      witness.close();
      return words;
    },
    [Symbol.asyncDispose]: () => kysely.destroy(),
  };
}

/** A database of words that is open. */
export type OpenSqlite = Awaited<ReturnType<typeof openSqlite>>;
