import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, NotThereError } from '../../../src/config/config-error.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { databaseConfig, sqliteConnections } from '../../support/database.ts';
import { createTemporaryFolder, freePort } from '../../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = join(folder.path, 'data', 'keyward.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

const open = () => openDatabase(databaseConfig(`sqlite:${file}`));

describe('an SQLite file', () => {
  it.each<[string, unknown, string]>([
    ['journal_mode', 'wal', 'has a write-ahead log'],
    ['synchronous', 2, 'is synced at each commit'],
    ['foreign_keys', 1, 'holds to its foreign keys'],
  ])('pragma %s is %s: it %s', async (pragma, value, _what) => {
    await using database = await open();
    const { reader, writer } = sqliteConnections(database) ?? {};
    expect(reader).not.toBe(writer);
    for (const connection of [reader, writer])
      expect(connection?.pragma(pragma, { simple: true })).toBe(value);
  });

  it.runIf(process.platform !== 'win32')(
    'only its owner has access to it, to its log and lock, and to its folder',
    async () => {
      await using database = await open();
      await database.em.fork().execute('create table t (x)');
      const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
      const files = [file, `${file}-wal`, `${file}-shm`, `${file}.lock`];
      expect(await Promise.all(files.map(modeOf))).toEqual(['600', '600', '600', '600']);
      expect(await modeOf(join(folder.path, 'data'))).toBe('700');
    },
  );

  it('opened a second time → refused, until the first one is closed', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(ConfigError);
    await first[Symbol.asyncDispose]();
    await using second = await open();
    expect(await second.em.fork().execute('select 1 as x')).toEqual([{ x: 1 }]);
  });

  it('could not be opened → the lock is released', async () => {
    const config = databaseConfig(`sqlite:${file}`);
    // A folder is in the way of the write-ahead log.
    await mkdir(`${file}-wal`, { recursive: true });
    await expect(openDatabase(config)).rejects.toThrow(ConfigError);
    await rm(`${file}-wal`, { recursive: true });
    await using database = await open();
    expect(await database.isConnected()).toBe(true);
  });
});

describe('a file that is no SQLite database → refused with a message', () => {
  const refused = async () => {
    const error = await open().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  };

  it('a folder, whose mode stays the same', async () => {
    await mkdir(file, { recursive: true });
    const { mode } = await stat(file);
    expect(await refused()).toContain(`DATABASE_URL names ${file}, which is not a file`);
    expect((await stat(file)).mode).toBe(mode);
  });

  it('a file with other content', async () => {
    await mkdir(dirname(file));
    await writeFile(file, 'no database'.repeat(100));
    expect(await refused()).toContain(
      'cannot be used: it is no SQLite database, or a damaged one (SQLITE_NOTADB)',
    );
  });

  it('a path below a file', async () => {
    await writeFile(dirname(file), '');
    expect(await refused()).toContain('cannot be used: there is a file in the place of its folder (ENOTDIR)');
  });
});

describe('a PostgreSQL database', () => {
  it('cannot be reached → refused with a message that has the code and nothing of the URL', async () => {
    const config = databaseConfig(`postgres://keyward:c4n4ry@127.0.0.1:${await freePort()}/keyward`);
    const refused = openDatabase(config);
    await expect(refused).rejects.toThrow(NotThereError);
    await expect(refused).rejects.toThrow(
      /^Keyward cannot start: the PostgreSQL of DATABASE_URL takes no connection now \(ECONNREFUSED\)\. [^:]*$/,
    );
    await expect(refused).rejects.not.toThrow(/c4n4ry|127\.0\.0\.1/);
  });
});

describe('a database in memory', () => {
  it('opened twice → two separate databases, and no lock file', async () => {
    const config = databaseConfig('sqlite::memory:');
    await using one = await openDatabase(config);
    await using other = await openDatabase(config);
    await one.em.fork().execute('create table t (x)');
    await expect(other.em.fork().execute('select * from t')).rejects.toThrow('no such table');
    await expect(stat(':memory:.lock')).rejects.toThrow('ENOENT');
  });
});
