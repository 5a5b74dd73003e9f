import Sqlite from 'better-sqlite3';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import { databaseConfig } from './database.ts';
import { createWriters, type Query } from './ledger.ts';
import { freePort } from './process.ts';

/** Queries an SQLite file beside the process that has it. */
export const queryFile =
  (file: string): Query =>
  async (sql) => {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return database.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  };

/**
 * Makes a database file of people with API keys, for a service that will listen on the port: accounts belong to its
 * identity provider, whose address holds the port.
 * @param options `ballast`: how many more accounts it holds, of some kilobytes each
 */
export async function createSqliteFile(
  file: string,
  { people, keysEach, ballast = 0 }: { people: number; keysEach: number; ballast?: number },
) {
  const port = await freePort();
  const config = databaseConfig(`sqlite:${file}`);
  await using database = await openDatabase(config);
  await migrate(database, config);
  const issuer = developmentIssuer({ host: '127.0.0.1', port });
  await database.em.getConnection().execute(
    `with recursive row (n) as (select 1 union all select n + 1 from row where n < ${ballast})
     insert into account (issuer, subject, created_at)
     select 'https://ballast.example.com', n || hex(zeroblob(500)), 0 from row where ${ballast} > 0`,
  );
  return {
    port,
    query: queryFile(file),
    writers: await createWriters(database, issuer, { people, keysEach }),
  };
}
