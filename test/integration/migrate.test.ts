import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { assertMigrated, migrate } from '../../src/database/migrate.ts';
import { postgresMigrations, sqliteMigrations } from '../../src/database/migration-lists.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createTemporaryFolder, root, runScript } from '../support/process.ts';

const server = inject('postgresUrl');

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let config: DatabaseConfig;
let database: Database;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  config = databaseConfig(
    server === undefined ? `sqlite:${join(folder.path, 'keyward.db')}` : await createOnServer(server),
  );
  database = await openDatabase(config);
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const insert = "insert into account (issuer, subject, created_at) values ('i', 's', '2026-01-31')";
const run = (statement: string) => database.em.fork().execute(statement);

const applied = async () => (await run('select name from mikro_orm_migrations')).map(({ name }) => name);

describe('a schema that is older', () => {
  const sentence =
    'Keyward cannot start with this configuration:\n' +
    '  DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto';

  it('is refused in a sentence: an empty database', async () => {
    const refused = assertMigrated(database, config);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(sentence);
    await expect(run('select * from account')).rejects.toThrow();
  });

  it('is refused where the last migration is not applied', async () => {
    await migrate(database, config);
    const [last] = (await applied()).toSorted().toReversed();
    await run(`delete from mikro_orm_migrations where name = '${last}'`);
    await expect(assertMigrated(database, config)).rejects.toThrow(sentence);
  });
});

it.each([
  ['sqlite', sqliteMigrations],
  ['postgresql', postgresMigrations],
])('has every migration of %s in its list, in order', (name, list) => {
  const files = globSync(`src/database/migrations/${name}/*.ts`, { cwd: root });
  expect(Object.keys(list)).toEqual(files.map((file) => basename(file, '.ts')).toSorted());
});

describe('migrate', () => {
  it('brings it up to date', async () => {
    await migrate(database, config);
    await assertMigrated(database, config);
    await run(insert);
    expect(await run('select subject from account')).toEqual([{ subject: 's' }]);
  });

  it('leaves one that is up to date as it is, and what is in it', async () => {
    await migrate(database, config);
    await run(insert);
    const before = await applied();
    await migrate(database, config);
    expect(await applied()).toEqual(before);
    expect(before).not.toEqual([]);
    expect(await run('select subject from account')).toEqual([{ subject: 's' }]);
  });

  it('needs no more connections than there are', async () => {
    await using narrow = await openDatabase({
      ...(server === undefined ? databaseConfig('sqlite::memory:') : config),
      poolSize: 1,
    });
    await migrate(narrow, config);
    await assertMigrated(narrow, config);
  });
});

if (server !== undefined) {
  describe('nodes that migrate at once', () => {
    const node = () =>
      runScript('dist/server/migrate.js', [], {
        cwd: folder.path,
        env: { DATABASE_URL: config.url, DATABASE_STATEMENT_TIMEOUT: '1' },
      });

    it('all succeed, and each migration is applied once', { timeout: 20_000 }, async () => {
      const ended = await Promise.all([node(), node(), node()]);
      expect(ended).toEqual(Array.from({ length: 3 }, () => ({ code: 0, stdout: '', stderr: '' })));
      await assertMigrated(database, config);
      expect(new Set(await applied()).size).toBe((await applied()).length);
    });

    it('wait for one that takes longer than a statement may', { timeout: 20_000 }, async () => {
      const lock = 'select pg_advisory_xact_lock(1801812343)';
      const waiting = await database.em.fork().transactional(async (em) => {
        await em.execute(lock);
        const ended = node();
        const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
        while ((await run(waits)).length === 0);
        await em.execute('select pg_sleep(1.5)');
        return { ended };
      });
      expect(await waiting.ended).toEqual({ code: 0, stdout: '', stderr: '' });
      await assertMigrated(database, config);
    });
  });
}
