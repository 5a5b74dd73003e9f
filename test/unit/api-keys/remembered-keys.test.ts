import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rememberUntilCommit } from '../../../src/api-keys/verify/remembered-keys.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { databaseConfig, inTransaction, sqliteConnections } from '../../support/database.ts';
import { createTemporaryFolder } from '../../support/process.ts';

interface Key {
  readonly name: string;
}

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let database: Database;
let db: Db;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  await open(`sqlite:${join(folder.path, 'keyward.db')}`);
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function open(url: string): Promise<void> {
  await database?.[Symbol.asyncDispose]();
  database = await openDatabase(databaseConfig(url));
  db = new Db(database.em);
  await database.em.getConnection().execute('create table word (text text)');
}

/** Runs statements as another process does. */
function writeBeside(...statements: string[]): void {
  const beside = new Sqlite(join(folder.path, 'keyward.db'));
  for (const statement of statements) beside.exec(statement);
  beside.close();
}

const write = (text: string) =>
  inTransaction(database, (execute) => execute(`insert into word (text) values ('${text}')`));

/** Finds a key for each digest but those of zeros. */
const createFind = () => {
  const ask = vi.fn(
    async (_db: Db, [digest]: readonly Buffer[]): Promise<Key | undefined> =>
      digest?.some((byte) => byte !== 0) ? { name: digest.toString('hex') } : undefined,
  );
  return { ask, find: rememberUntilCommit<Key>(ask, (key) => key) };
};

const [one, other] = [randomBytes(32), randomBytes(32)];

describe('a found key', () => {
  it('is remembered, also in another object for the same database', async () => {
    const { ask, find } = createFind();
    const found = await find(db, [one]);
    expect(found).toEqual({ name: one.toString('hex') });
    // It is there at once, without a promise.
    expect(find(db, [one])).toBe(found);
    expect(find(db.until(performance.now() + 60_000), [one])).toBe(found);
    expect(find(new Db(database.em), [Buffer.from(one)])).toBe(found);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('is the answer to exactly the same digests, all 32 bytes of them and in their order', async () => {
    const { ask, find } = createFind();
    const almost = Buffer.from(one);
    almost[31] = (almost[31] ?? 0) ^ 1;
    const questions = [[one], [other], [almost], [one, other], [other, one]];
    for (const question of questions)
      expect(await find(db, question)).toEqual({ name: question[0]?.toString('hex') });
    expect(ask.mock.calls.map(([, digests]) => digests)).toEqual(questions);
  });

  it.each<[string, () => unknown]>([
    ['a commit of this process', () => write('own')],
    ['a commit of another process', () => writeBeside("insert into word (text) values ('beside')")],
    [
      'a commit of another process that begins the log anew',
      () => writeBeside("insert into word (text) values ('beside')", 'pragma wal_checkpoint(truncate)'),
    ],
    [
      'two commits at once, of which the second undoes the first',
      async () => {
        await write('once');
        writeBeside("delete from word where text = 'once'");
      },
    ],
    ['a change of the tables', () => writeBeside('create table if not exists more (n); drop table more')],
  ])('is asked for again after %s, once', async (_what, commit) => {
    const { ask, find } = createFind();
    for (let round = 1; round <= 3; round += 1) {
      await find(db, [one]);
      await find(db, [other]);
      await find(db, [one]);
      expect(ask).toHaveBeenCalledTimes(2 * round);
      await commit();
    }
  });

  it('is still remembered after a transaction that changed nothing, or was undone', async () => {
    const { ask, find } = createFind();
    const found = await find(db, [one]);
    await inTransaction(database, (execute) => execute('select * from word'));
    const undone = inTransaction(database, async (execute) => {
      await execute("insert into word (text) values ('undone')");
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await find(db, [one])).toBe(found);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('stays until a change is committed, and not a moment longer', async () => {
    const { ask, find } = createFind();
    const { writer } = sqliteConnections(database) ?? {};
    await find(db, [one]);
    writer?.exec("begin immediate; insert into word (text) values ('later')");
    await find(db, [one]);
    expect(ask).toHaveBeenCalledTimes(1);
    writer?.exec('commit');
    await find(db, [one]);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('is not remembered if there was a commit while it was read, whoever noticed that first', async () => {
    for (const isNoticed of [false, true]) {
      const { ask, find } = createFind();
      ask.mockImplementationOnce(async () => {
        await write('meanwhile');
        if (isNoticed) await find(db, [other]);
        return { name: 'before the commit' };
      });
      expect(await find(db, [one])).toEqual({ name: 'before the commit' });
      expect(await find(db, [one])).toEqual({ name: one.toString('hex') });
    }
  });

  it('is renewed each time, because the time goes on', async () => {
    const { ask } = createFind();
    let now = 0;
    const find = rememberUntilCommit<Key & { now?: number }>(ask, (key) => {
      now += 1;
      return { ...key, now };
    });
    const answers = [await find(db, [one]), await find(db, [one]), await find(db, [one])];
    expect(answers.map((answer) => answer?.now)).toEqual([undefined, 1, 2]);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

describe('nothing is remembered', () => {
  it.each<[string, (ask: (db: Db, digest: Buffer) => Promise<unknown>) => Promise<unknown>]>([
    ['of a digest that has no key', (ask) => ask(db, Buffer.alloc(32))],
    ['in a transaction', (ask) => db.transaction((within) => ask(within, one))],
    [
      'of a database in memory',
      async (ask) => {
        await open('sqlite::memory:');
        await ask(db, one);
      },
    ],
  ])('%s', async (_what, run) => {
    const { ask, find } = createFind();
    await run(async (on, digest) => {
      await find(on, [digest]);
      await find(on, [digest]);
    });
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('of one database in another, also where both have the same version', async () => {
    const { ask, find } = createFind();
    await find(db, [one]);
    await using beside = await openDatabase(databaseConfig(`sqlite:${join(folder.path, 'other.db')}`));
    const other = new Db(beside.em);
    for (let commit = 0; other.dataVersion() !== db.dataVersion(); commit += 1)
      await beside.em.getConnection().execute(`create table word_${commit} (text text)`);
    await find(other, [one]);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

it('after the deadline of the request, nothing is answered', async () => {
  const { find } = createFind();
  await find(db, [one]);
  const late = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
  expect(() => find(db.until(performance.now() - 1), [one])).toThrow(late);
});

it('a file that cannot be read is a fault, and never an answer', async () => {
  const { find } = createFind();
  await find(db, [one]);
  const { reader } = sqliteConnections(database) ?? {};
  reader?.close();
  expect(() => find(db, [one])).toThrow('not open');
});

describe('the memory', () => {
  /** Asks for a key of each of these digests. */
  const askAll = async (find: ReturnType<typeof createFind>['find'], digests: readonly Buffer[]) => {
    for (const digest of digests) await find(db, [digest]);
  };
  const createDigests = (count: number) => Array.from({ length: count }, () => randomBytes(32));

  it('holds the most recently used keys, up to 16 MiB by their texts', async () => {
    // A character may take two bytes.
    const [name, perKey] = ['x'.repeat(8000), 16_000];
    const ask = vi.fn(async (): Promise<Key> => ({ name }));
    const find = rememberUntilCommit<Key>(ask, (key) => key);
    const most = Math.floor((16 * 1024 * 1024) / perKey);
    const digests = createDigests(most + 1);
    const [first, second] = digests as [Buffer, Buffer];
    for (const digest of digests) {
      await find(db, [digest]);
      // It stays the most recently used one but for the last.
      await find(db, [first]);
    }
    ask.mockClear();
    await askAll(find, [first, ...digests.slice(-700)]);
    expect(ask).not.toHaveBeenCalled();
    await find(db, [second]);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('rests for 10,000 questions after 1,000 of which it knew hardly any, and then remembers again', async () => {
    const { ask, find } = createFind();
    const versions = vi.spyOn(db, 'dataVersion');
    await askAll(find, createDigests(1000));
    expect(versions).toHaveBeenCalledTimes(1000);
    for (let time = 0; time < 10_000; time += 1) await find(db, [one]);
    expect(versions).toHaveBeenCalledTimes(1000);
    expect(ask).toHaveBeenCalledTimes(11_000);
    await askAll(find, [one, one, one]);
    expect(ask).toHaveBeenCalledTimes(11_001);
  });

  it('does not rest while it knows a quarter of the answers', async () => {
    const { ask, find } = createFind();
    for (let round = 0; round < 3; round += 1) {
      await askAll(find, createDigests(749));
      for (let time = 0; time < 251; time += 1) await find(db, [one]);
    }
    await askAll(find, [other, other]);
    expect(ask).toHaveBeenCalledTimes(3 * 749 + 2);
  });
});
