import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { assertMigrated } from '../../src/database/migrate.ts';
import { sqliteMigrations } from '../../src/database/migration-lists.ts';
import { databaseConfig } from '../support/database.ts';
import { createTemporaryFolder, runScript } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const run = (env: Record<string, string> = {}) =>
  runScript('dist/server/migrate.js', [], {
    cwd: folder.path,
    env: { DATA_DIR: folder.path, ...env },
  });

const config = () => databaseConfig(`sqlite:${join(folder.path, 'keyward.db')}`);
const open = () => openDatabase(config());

/** Refused in words, and so without a stack. */
const refusal = (fault: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^Keyward cannot start with this configuration:\\n  ${fault.source}\\n$`),
  ),
});

describe('db:migrate', () => {
  it('updates a database, also with DATABASE_MIGRATE=check, and can be run again', async () => {
    const where = `SQLite, ${join(folder.path, 'keyward.db')}: the schema is up to date`;
    const names = Object.keys(sqliteMigrations).map((name) => `  ${name}\n`);
    expect(await run({ DATABASE_MIGRATE: 'check' })).toEqual({
      code: 0,
      stdout: `${where} now, by\n${names.join('')}`,
      stderr: '',
    });
    expect(await run()).toEqual({ code: 0, stdout: `${where}, nothing had to be done\n`, stderr: '' });
    await using database = await open();
    await assertMigrated(database, config());
    expect(await database.em.fork().execute('select count(*) as n from account')).toEqual([{ n: 0 }]);
  });

  it('refuses a faulty configuration with a message', async () => {
    expect(await run({ DATABASE_URL: 'mysql:' })).toEqual(refusal(/DATABASE_URL must be .*/));
  });

  it('refuses a file that another process is using, with a message', async () => {
    await using database = await open();
    expect(await run()).toEqual(refusal(/DATABASE_URL names .*, which another process of Keyward is using/));
    expect(await database.isConnected()).toBe(true);
  });
});
