import Sqlite from 'better-sqlite3';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';

/** How much a database holds. */
export interface Size {
  /** Accounts, `user-1` and so on; their ids are 1 and so on. All have settings, those with odd ids a private key. */
  readonly users: number;
  /** API keys of each; those of the first account have the first ids. */
  readonly keysEach: number;
}

const numbers = (last: string) =>
  `with recursive number (n) as (select 0 union all select n + 1 from number where n + 1 < ${last})`;

const statements = [
  `insert into account (issuer, subject, created_at)
   ${numbers(':users')} select :issuer, 'user-' || (n + 1), :now from number`,
  `insert into api_key (account_id, key_prefix, name, is_active, is_default, encryption_version, created_at)
   ${numbers(':users * :keysEach')}
   select n / :keysEach + 1, 'sk-' || printf('%06x', n), 'Key ' || n, 1, n % :keysEach = 0, 1, :now from number`,
  `insert into private_key (account_id, sealed_key, created_at, updated_at)
   select id, 'sealed', :now, :now from account where id % 2 = 1`,
  `insert into automation_settings (account_id, is_enabled, session_duration, created_at, updated_at)
   select id, 1, 3600, :now, :now from account`,
];

/** Makes a database file with Keyward's own migrations, and fills it. */
export async function createDatabaseFile(file: string, issuer: string, size: Size): Promise<void> {
  const { database: config } = loadConfig({ DATABASE_URL: `sqlite:${file}` });
  {
    await using database = await openDatabase(config);
    await migrate(database, config);
  }
  const database = new Sqlite(file);
  // Integers: better-sqlite3 binds a number as a real one, and dividing it would leave a fraction.
  const values = {
    issuer,
    now: BigInt(Date.now()),
    users: BigInt(size.users),
    keysEach: BigInt(size.keysEach),
  };
  try {
    for (const statement of statements) {
      const named = Object.entries(values).filter(([name]) => statement.includes(`:${name}`));
      database.prepare(statement).run(Object.fromEntries(named));
    }
  } finally {
    database.close();
  }
}
