import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DriverException } from '@mikro-orm/core';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutageGrace } from '../../../src/api-keys/verify/door-grace.ts';
import { rememberKeys } from '../../../src/api-keys/verify/remembered-keys.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { UnexpectedValueError } from '../../../src/database/failures.ts';
import type { AccountId } from '../../../src/database/tables.ts';
import { databaseConfig, inTransaction, sqliteConnections } from '../../support/database.ts';
import { createTemporaryFolder } from '../../support/process.ts';

interface Key {
  readonly id: number;
  readonly account: AccountId;
  readonly name: string;
  readonly isEnded?: boolean;
  readonly staleSince?: number;
}

const [id, account] = [1, 1 as AccountId];

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
      digest?.some((byte) => byte !== 0) ? { id, account, name: digest.toString('hex') } : undefined,
  );
  return { ask, find: remember(ask) };
};

/** Remembers the keys that somebody finds. */
const remember = <Found extends Key>(
  find: (db: Db, digests: readonly Buffer[]) => Promise<Found | undefined>,
  renew = (key: Found) => key,
) =>
  rememberKeys<Found>({
    find,
    findAll: find,
    renew,
    endOf: ({ isEnded }) => (isEnded ? { accountId: account, keyId: id } : undefined),
    charactersOf: ({ name }) => name.length,
  }).findKnown;

const [one, other] = [randomBytes(32), randomBytes(32)];

describe('a found key', () => {
  it('is remembered, also in another object for the same database', async () => {
    const { ask, find } = createFind();
    const found = await find(db, [one]);
    expect(found).toEqual({ id, account, name: one.toString('hex') });
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
      expect(await find(db, question)).toEqual({ id, account, name: question[0]?.toString('hex') });
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
        return { id, account, name: 'before the commit' };
      });
      expect(await find(db, [one])).toEqual({ id, account, name: 'before the commit' });
      expect(await find(db, [one])).toEqual({ id, account, name: one.toString('hex') });
    }
  });

  it('is renewed each time, because the time goes on', async () => {
    const { ask } = createFind();
    let now = 0;
    const find = remember<Key & { now?: number }>(ask, (key) => {
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
    const ask = vi.fn(async (): Promise<Key> => ({ id, account, name }));
    const find = remember(ask);
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

describe('while the database is away', () => {
  const away = () => new DriverException(Object.assign(new Error('gone'), { code: 'SQLITE_IOERR_READ' }));
  let grace: OutageGrace;
  beforeEach(() => {
    const keys = { probe: () => Promise.reject(away()), countUsable: () => 0, forgetBefore: () => {} };
    grace = new OutageGrace(60_000, keys, { began: () => {}, ended: () => {} });
  });
  afterEach(() => grace[Symbol.dispose]());

  /** A finder, and what makes the file unreadable: each further question to the database fails. */
  const create = () => {
    const { ask, find } = createFind();
    const leave = (error: Error = away()) => {
      ask.mockRejectedValue(error);
      vi.spyOn(db, 'dataVersion').mockImplementation(() => {
        throw error;
      });
    };
    return { ask, leave, find: (digests: readonly Buffer[]) => find(db, digests, grace) };
  };

  it('a key that was found is answered as before, and says since when', async () => {
    const { find, leave } = create();
    const before = performance.now();
    const found = await find([one]);
    leave();
    const stale = await find([one]);
    expect(stale).toEqual({ ...found, staleSince: expect.any(Number) });
    expect(stale?.staleSince).toBeGreaterThanOrEqual(before);
    expect(stale?.staleSince).toBeLessThan(performance.now());
  });

  it('the last question counts, also where it was answered from memory', async () => {
    const { ask, find, leave } = create();
    await find([one]);
    const between = performance.now();
    await find([one]);
    expect(ask).toHaveBeenCalledTimes(1);
    leave();
    expect((await find([one]))?.staleSince).toBeGreaterThan(between);
  });

  it.each([
    ['another key', [other]],
    ['more digests', [one, other]],
  ])('%s is not answered', async (_what, digests) => {
    const { find, leave } = create();
    await find([one]);
    leave();
    await expect(async () => find(digests)).rejects.toThrow('the database is away');
  });

  it('the last answer counts, of whatever version: a key that is gone, or has changed', async () => {
    const { ask, find, leave } = create();
    await find([one]);
    await find([other]);
    await write('new version');
    ask.mockResolvedValueOnce(undefined);
    expect(await find([one])).toBeUndefined();
    ask.mockResolvedValueOnce({ id, account, name: 'changed' });
    await find([other]);
    leave();
    await expect(async () => find([one])).rejects.toThrow('the database is away');
    expect(await find([other])).toMatchObject({ name: 'changed' });
  });

  it.each<[string, () => Key | undefined]>([
    ['gone', () => undefined],
    ['ended', () => ({ id, account, name: 'ended', isEnded: true })],
  ])('a key that is %s ends with all its secrets, whichever was asked about', async (_what, answer) => {
    const { ask, find, leave } = create();
    for (const digest of [one, other]) {
      ask.mockResolvedValueOnce({ id, account, name: 'both are of one key' });
      await find([digest]);
    }
    await write('new version');
    ask.mockResolvedValueOnce(answer());
    await find([one]);
    leave();
    for (const digest of [one, other])
      await expect(async () => find([digest])).rejects.toThrow('the database is away');
  });

  it('a key with a value that nobody understands is not answered any more', async () => {
    const { ask, find, leave } = create();
    await find([one]);
    await write('new version');
    ask.mockRejectedValueOnce(new UnexpectedValueError('api_key, expires_at', 'soon'));
    await expect(async () => find([one])).rejects.toThrow('unexpected value');
    leave();
    await expect(async () => find([one])).rejects.toThrow('the database is away');
  });

  it('a late answer does not replace that of a later question', async () => {
    const { ask, find, leave } = create();
    const { promise, resolve } = Promise.withResolvers<Key | undefined>();
    ask.mockReturnValueOnce(promise);
    const early = find([one]);
    ask.mockResolvedValueOnce({ id, account, name: 'later' });
    await find([one]);
    resolve({ id, account, name: 'earlier' });
    await early;
    leave();
    expect(await find([one])).toMatchObject({ name: 'later' });
  });

  it('a key that this process has changed since is not answered', async () => {
    const { find, leave } = create();
    await find([one]);
    grace.noteChange({ accountId: account, keyId: id });
    leave();
    await expect(async () => find([one])).rejects.toThrow('the database is away');
  });

  it('another error than that of an outage is thrown, whatever is remembered', async () => {
    const { find, leave } = create();
    await find([one]);
    leave(new DriverException(Object.assign(new Error('damaged'), { code: 'SQLITE_CORRUPT' })));
    await expect(async () => find([one])).rejects.toThrow('damaged');
  });

  it('nothing is asked again until a probe has an answer', async () => {
    const { ask, find, leave } = create();
    await find([one]);
    leave();
    await find([one]);
    ask.mockClear();
    for (let time = 0; time < 10; time += 1) await find([one]);
    expect(ask).not.toHaveBeenCalled();
  });
});

it('without a grace, what was found in another version is forgotten', async () => {
  const memory = rememberKeys<Key>({
    find: async () => ({ id, account, name: 'x' }),
    findAll: async () => undefined,
    renew: (key) => key,
    endOf: () => undefined,
    charactersOf: () => 1,
  });
  await memory.findKnown(db, [one]);
  const all = { isUsable: () => true } as unknown as OutageGrace;
  expect(memory.countUsable(db, all)).toBe(1);
  await write('new version');
  await memory.findKnown(db, [other]);
  expect(memory.countUsable(db, all)).toBe(1);
  memory.forgetBefore(db, performance.now() + 1);
  expect(memory.countUsable(db, all)).toBe(0);
});
