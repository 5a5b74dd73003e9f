import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/database/database.ts';
import { databaseConfig, inTransaction, writerOf } from '../../../support/database.ts';
import { createTemporaryFolder } from '../../../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let database: Database;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  database = await openDatabase(databaseConfig(`sqlite:${join(folder.path, 'keyward.db')}`));
  await run('create table parent (id integer primary key, name text)');
  await run('create table child (parent references parent (id) deferrable initially deferred)');
});
afterEach(async () => {
  vi.useRealTimers();
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (statement: string) => database.em.fork().execute(statement);

/** Runs statements in one transaction; one that fails ends it, unless it is written to be passed over. */
const transact = (...statements: (string | { passOver: string })[]): Promise<unknown> =>
  inTransaction(database, async (execute) => {
    for (const statement of statements) {
      if (typeof statement === 'string') await execute(statement);
      else await execute(statement.passOver).catch(() => {});
    }
  });

const insert = (name: string) => `insert into parent (name) values ('${name}')`;

/** More than there is room for; SQLite then rolls back by itself, so that a ROLLBACK after it fails. */
const overfill = 'insert into parent (name) values (hex(zeroblob(1000000)))';

const fill = () => writerOf(database).pragma('max_page_count = 1');
const makeRoom = () => writerOf(database).pragma('max_page_count = 1000000');

const names = async () => (await run('select name from parent order by id')).map((row) => row['name']);

/** The next transaction is begun, commits, and holds nothing of the one before. */
const expectWhole = async () => {
  await transact(insert('after'));
  await expect(transact(insert('x'), 'selekt')).rejects.toThrow('syntax error');
  expect(await names()).toEqual(['after']);
};

describe('the next transaction works after', () => {
  it('a COMMIT that fails', async () => {
    const failing = transact(insert('lost'), 'insert into child (parent) values (99)');
    await expect(failing).rejects.toThrow('FOREIGN KEY');
    await expectWhole();
  });

  it('a ROLLBACK that fails', async () => {
    fill();
    await expect(transact(insert('lost'), overfill)).rejects.toThrow('full');
    makeRoom();
    await expectWhole();
  });

  it('a COMMIT and a ROLLBACK that fail', async () => {
    fill();
    await expect(transact(insert('lost'), { passOver: overfill })).rejects.toThrow('full');
    makeRoom();
    await expectWhole();
  });

  it.each(['begin', 'begin immediate', 'savepoint x'])(
    'a statement that begins a transaction, %s, which is refused',
    async (statement) => {
      await expect(run(statement)).rejects.toThrow('transaction');
      await expectWhole();
    },
  );

  it('many failures at once, together with others that share their commit and fail too', async () => {
    // No group is old, however slow the machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    fill();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? transact(overfill) : transact('select 1'))),
    );
    expect(outcomes).toMatchObject(Array.from({ length: 20 }, () => ({ reason: { code: 'SQLITE_FULL' } })));
    makeRoom();
    await expectWhole();
  });
});

describe('a transaction that fails, and cannot be rolled back', () => {
  it('the error says why it failed, not that the rollback failed', async () => {
    fill();
    await expect(transact(overfill)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  });
});
