import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { assertMigrated, migrate } from '../../src/database/migrate.ts';
import { postgresMigrations } from '../../src/database/migration-lists.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { startIssuer } from '../support/issuer.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, runScript, runService, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

let postgres: OwnPostgres;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  folder = await createTemporaryFolder();
}, 60_000);
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

/** An empty database. */
let config: DatabaseConfig;
let database: Database;
beforeEach(async () => {
  config = databaseConfig(await createOnServer(postgres.url));
  database = await openDatabase(config);
});
afterEach(() => database[Symbol.asyncDispose]());

const run = (statement: string) => database.em.fork().execute(statement);

describe('nodes that migrate at once', () => {
  const node = (env: Record<string, string> = {}) =>
    runScript('dist/server/migrate.js', [], {
      cwd: folder.path,
      env: { DATABASE_URL: config.url, ...env },
    });

  const upToDate = 'PostgreSQL: the schema is up to date';
  const nothingDone = `${upToDate}, nothing had to be done\n`;
  const done = `${[`${upToDate} now, by`, ...Object.keys(postgresMigrations)].join('\n  ')}\n`;

  it('all succeed, and each migration is applied once', async () => {
    const ended = await Promise.all([node(), node(), node()]);
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']));
    // One has worked, the others have waited, and each says so; of where the database is they say nothing.
    const told = ended.map(({ stdout }) => stdout);
    expect(told.toSorted()).toEqual([done, nothingDone, nothingDone].toSorted());
    await assertMigrated(database, config);
    const applied = (await run('select name from mikro_orm_migrations')).map(({ name }) => name);
    expect(new Set(applied).size).toBe(applied.length);
  });

  it('wait for one that takes longer than the statement timeout', async () => {
    const lock = 'select pg_advisory_xact_lock(1801812343)';
    const waiting = await database.em.fork().transactional(async (em) => {
      await em.execute(lock);
      const ended = node({ DATABASE_STATEMENT_TIMEOUT: '2' });
      const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
      while ((await run(waits)).length === 0);
      await em.execute('select pg_sleep(3)');
      return { ended };
    });
    expect(await waiting.ended).toEqual({ code: 0, stdout: done, stderr: '' });
    await assertMigrated(database, config);
  });
});

describe('a schema that is newer', () => {
  it.each(['PostgreSQL', 'SQLite'])('is refused with a message, and left as it is: %s', async (kind) => {
    const url = kind === 'SQLite' ? `sqlite:${folder.path}/newer.db` : config.url;
    const newer = { ...config, url };
    {
      await using own = await openDatabase(newer);
      await migrate(own, newer);
      await own.em
        .fork()
        .execute(
          "insert into mikro_orm_migrations (name, executed_at) values ('Migration20991231000000', current_timestamp)",
        );
    }
    for (const mode of ['auto', 'check']) {
      const env = { DATABASE_URL: url, DATABASE_MIGRATE: mode, PORT: '0' };
      expect(await runService(folder.path, env)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^Keyward cannot start[^\n]*:\n[^\n]* newer than this version [^\n]*\n$/,
        ),
      });
    }
  });
});

describe('an empty database', () => {
  it('lets two nodes start at the same time with DATABASE_MIGRATE=auto', async () => {
    await using issuer = await startIssuer();
    await using started = new AsyncDisposableStack();
    // One identity provider for both: each would otherwise seed the database with people of its own.
    const production = {
      ...secretVariables(),
      DATABASE_URL: config.url,
      DATABASE_MIGRATE: 'auto',
      NODE_ENV: 'production',
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
    };
    const processes = await Promise.all([0, 1].map(() => startProcess(folder.path, production)));
    for (const process of processes) started.use(process);
    const authorization = `Bearer ${await issuer.sign()}`;
    for (const { url } of processes) {
      const response = await fetch(`${url}/api/v1/auth/private-key`, { headers: { authorization } });
      expect([response.status, await response.json()]).toEqual([
        200,
        { has_key: false, created_at: null, updated_at: null },
      ]);
    }
  });

  it('is refused with a message by a node that may not migrate it', async () => {
    const { code, stdout, stderr } = await runService(folder.path, { DATABASE_URL: config.url, PORT: '0' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('older than this version: run `npm run db:migrate`');
    expect(stderr).not.toMatch(/\bat .*\.[jt]s/);
    expect(stderr).not.toContain(config.url);
  });
});
