import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { assertMigrated, migrate } from '../../src/database/migrate.ts';
import { databaseConfig } from '../support/database.ts';
import { createTemporaryFolder, runScript, startModule } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let source: string;
let target: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  source = join(folder.path, 'keyward.db');
  target = join(folder.path, 'backups', 'copy.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

const backUp = (args: readonly string[] = [target], env: Record<string, string> = {}) =>
  runScript('dist/server/backup.js', args, {
    cwd: folder.path,
    env: { DATA_DIR: folder.path, ...env },
  });

/** Refused in one line, and so without a stack. */
const refusal = (message: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(message) });

const read = (file: string, sql: string) => {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
};

const count = 'select count(*) from written';

/** A database of some size, with a table for `startWriter`. */
const createSource = () => {
  const database = new Sqlite(source);
  database.pragma('journal_mode = wal');
  database.exec('create table written (id integer primary key); create table ballast (x)');
  const insert = database.prepare('insert into ballast values (zeroblob(100000))');
  database.transaction(() => {
    for (let i = 0; i < 400; i += 1) insert.run();
  })();
  database.close();
};

/** Another process that writes without a pause, two rows in each transaction. */
const startWriter = () =>
  startModule(`
    import Sqlite from 'better-sqlite3';
    const database = new Sqlite(${JSON.stringify(source)});
    database.pragma('synchronous = off');
    const insert = database.prepare('insert into written default values');
    const write = database.transaction(() => { insert.run(); insert.run(); });
    write();
    console.log('writing');
    const go = () => { for (let i = 0; i < 100; i += 1) write(); setImmediate(go); };
    go();`);

describe('a copy', () => {
  it('is complete, and has what was committed before, while another process writes', {
    timeout: 20_000,
  }, async () => {
    createSource();
    await using writer = await startWriter();
    const before = read(source, count) as number;
    const ended = await backUp();
    await writer.kill();
    expect(ended).toEqual({ code: 0, stdout: `${target} is a copy of the database.\n`, stderr: '' });
    const copied = read(target, count) as number;
    expect(read(target, 'pragma integrity_check')).toBe('ok');
    expect(copied).toBeGreaterThanOrEqual(before);
    expect(copied % 2).toBe(0);
    expect(read(source, count)).toBeGreaterThan(copied);
  });

  it.runIf(process.platform !== 'win32')(
    'is for its owner alone, and so is a folder that is made',
    async () => {
      createSource();
      await backUp();
      const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
      expect(await modeOf(target)).toBe('600');
      expect(await modeOf(join(target, '..'))).toBe('700');
    },
  );

  it('is one file, with nothing next to it', async () => {
    createSource();
    await backUp();
    expect(await readdir(join(target, '..'))).toEqual(['copy.db']);
  });

  it('can be started from, and is made while the service is running', async () => {
    const config = databaseConfig(`sqlite:${source}`);
    await using database = await openDatabase(config);
    await migrate(database, config);
    const insert = "insert into account (issuer, subject, created_at) values ('i', 's', 0)";
    await database.em.fork().execute(insert);
    expect(await backUp()).toMatchObject({ code: 0 });
    await using copy = await openDatabase(databaseConfig(`sqlite:${target}`));
    await assertMigrated(copy, config);
    expect(await copy.em.fork().execute('select subject from account')).toEqual([{ subject: 's' }]);
  });
});

describe('refused with a message', () => {
  it('an existing FILE, which stays as it is', async () => {
    createSource();
    const file = join(folder.path, 'precious');
    await writeFile(file, 'precious');
    expect(await backUp([file])).toEqual(refusal(/^\S+\/precious exists already\.\n$/));
    expect(await readFile(file, 'utf8')).toBe('precious');
  });

  it.runIf(process.platform !== 'win32').each([
    ['to nothing', 'secrets/missing.db'],
    ['to a file', 'precious'],
    ['to an empty file', 'empty'],
    ['to a folder', 'secrets'],
    ['to itself', 'link.db'],
  ])('a FILE that is a link %s, and nothing is written', async (_where, destination) => {
    createSource();
    await mkdir(join(folder.path, 'secrets'));
    await writeFile(join(folder.path, 'precious'), 'precious');
    await writeFile(join(folder.path, 'empty'), '');
    const link = join(folder.path, 'link.db');
    await symlink(join(folder.path, destination), link);
    const before = await readdir(folder.path, { recursive: true });
    expect(await backUp([link])).toEqual(refusal(/^\S+\/link\.db exists already\.\n$/));
    expect(await readdir(folder.path, { recursive: true })).toEqual(before);
    expect(await readlink(link)).toBe(join(folder.path, destination));
    expect(await readFile(join(folder.path, 'precious'), 'utf8')).toBe('precious');
    expect(await readFile(join(folder.path, 'empty'), 'utf8')).toBe('');
  });

  it.each([[[]], [['']]])('no FILE: %j', async (args) => {
    createSource();
    const usage = expect.stringMatching(/^An argument is missing\.\n\nUsage: npm run db:backup -- FILE\n/);
    expect(await backUp(args)).toEqual({ code: 2, stdout: '', stderr: usage });
  });

  it('PostgreSQL', async () => {
    const ended = await backUp([target], { DATABASE_URL: 'postgres://127.0.0.1:9/keyward' });
    expect(ended).toEqual(refusal(/^This command is for SQLite; use pg_dump for PostgreSQL\.\n$/));
  });

  it('a missing database, and leaves no copy', async () => {
    expect(await backUp()).toEqual(refusal(/^The database \S+keyward\.db does not exist\.\n$/));
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('a faulty configuration', async () => {
    const ended = await backUp([target], { DATABASE_URL: 'mysql:' });
    expect(ended).toEqual(
      refusal(/^Keyward cannot start with this configuration:\n {2}DATABASE_URL must .*\n$/),
    );
  });
});
