import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';

/** How much a database holds. */
export interface Size {
  /** Accounts, `user-1` and so on; their ids are 1 and so on. All have settings, those with odd ids a private key. */
  readonly users: number;
  /** API keys of each; those of the first account have the first ids. */
  readonly keysEach: number;
}

const numbers = (count: number) =>
  `with recursive number (n) as (select 0 union all select n + 1 from number where n + 1 < ${count})`;

/** SQL that both databases read. */
const statements = ({ users, keysEach }: Size): [sql: string, needs: readonly ('issuer' | 'now')[]][] => [
  [
    `insert into account (issuer, subject, created_at)
     ${numbers(users)} select ?, 'user-' || (n + 1), ? from number`,
    ['issuer', 'now'],
  ],
  [
    `insert into api_key (account_id, key_prefix, name, is_active, is_default, encryption_version, created_at)
     ${numbers(users * keysEach)}
     select n / ${keysEach} + 1, 'sk-' || substr(cast(1000000 + n as text), 2), 'Key ' || n, true,
       n % ${keysEach} = 0, 1, ? from number`,
    ['now'],
  ],
  [
    `insert into private_key (account_id, sealed_key, created_at, updated_at)
     select id, 'sealed', ?, ? from account where id % 2 = 1`,
    ['now', 'now'],
  ],
  [
    `insert into automation_settings (account_id, is_enabled, session_duration, created_at, updated_at)
     select id, true, 3600, ?, ? from account`,
    ['now', 'now'],
  ],
];

/**
 * Makes a database with Keyward's own migrations, and fills it.
 * @param url of a missing SQLite file, or of an empty database on PostgreSQL
 */
export async function createDatabase(url: string, issuer: string, size: Size): Promise<void> {
  const { database: config } = loadConfig({ DATABASE_URL: url });
  await using database = await openDatabase(config);
  await migrate(database, config);
  const values = { issuer, now: new Date() };
  for (const [sql, needs] of statements(size))
    await database.em.getConnection().execute(
      sql,
      needs.map((name) => values[name]),
    );
}
