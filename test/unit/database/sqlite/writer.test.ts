import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenSqlite, openSqlite, type Words } from '../../../support/open-sqlite.ts';
import { createTemporaryFolder } from '../../../support/process.ts';

let stack: AsyncDisposableStack;
let file: string;
let database: OpenSqlite;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  file = join(stack.use(await createTemporaryFolder()).path, 'keyward.db');
});
afterEach(async () => {
  vi.useRealTimers();
  await stack.disposeAsync();
});

const open = async (options: Parameters<typeof openSqlite>[1] = {}) => {
  database = stack.use(await openSqlite(file, options));
};

/** Two ends of a connection. */
async function connect() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const sent = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  const [[received]] = await Promise.all([accepted as Promise<[Socket]>, once(sent, 'connect')]);
  const close = () => {
    for (const socket of [sent, received]) socket.destroy();
    server.close();
  };
  return { sent, received, close };
}

/** A database whose turns of the event loop end when the test says so, and last no time. */
async function openStepwise() {
  vi.useFakeTimers({ toFake: ['performance'] });
  let due: (() => void)[] = [];
  await open({ endOfTurn: (run) => void due.push(run) });
  return async () => {
    const now = due;
    due = [];
    for (const run of now) run();
    await settle();
  };
}

/** Lets everything go on that waits for nothing but itself. */
const settle = () => turn();

const add = (kysely: Kysely<Words>, text: string) => kysely.insertInto('word').values({ text }).execute();
const read = async (kysely: Kysely<Words> = database.kysely) =>
  (await kysely.selectFrom('word').selectAll().execute()).map(({ text }) => text);
const transact = <Result>(run: (inner: Kysely<Words>) => Promise<Result>) =>
  database.kysely.transaction().execute(run);

/** Notes what comes of promises, in the order in which it comes. */
function watch(outcomes: string[]) {
  return (name: string, promise: Promise<unknown>) =>
    promise.then(
      () => outcomes.push(name),
      (error: Error) => outcomes.push(`${name}: ${error.message}`),
    );
}

describe('transactions of one turn of the event loop', () => {
  it('are committed together at its end, and answered only then', async () => {
    const endTurn = await openStepwise();
    const outcomes: string[] = [];
    const note = watch(outcomes);
    void note(
      'one',
      transact((inner) => add(inner, 'one')),
    );
    void note('two', add(database.kysely, 'two'));
    void note(
      'three',
      transact(async (inner) => {
        await add(inner, 'three');
        throw new Error('no');
      }),
    );
    await settle();
    expect(outcomes).toEqual([]);
    expect(database.committed()).toEqual([]);
    await endTurn();
    expect(outcomes.sort()).toEqual(['one', 'three: no', 'two']);
    expect(database.committed()).toEqual(['one', 'two']);
  });

  it('see the work of earlier ones, which a reader sees only after the commit', async () => {
    const endTurn = await openStepwise();
    const first = transact((inner) => add(inner, 'one'));
    const second = transact(read);
    await settle();
    expect(await read()).toEqual([]);
    await endTurn();
    await first;
    expect(await second).toEqual(['one']);
    expect(await read()).toEqual(['one']);
  });

  it('run one after the other, even if one of them waits', async () => {
    await open();
    const steps: string[] = [];
    const run = (name: string, wait: () => Promise<unknown>) =>
      transact(async (inner) => {
        steps.push(`${name} begins`);
        await add(inner, name);
        await wait();
        await add(inner, `${name} again`);
        steps.push(`${name} ends`);
      });
    await Promise.all([
      run('slow', () => delay(20)),
      run('quick', async () => {}),
      run('third', () => turn()),
    ]);
    expect(steps).toEqual(['slow', 'quick', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(database.committed()).toEqual([
      'slow',
      'slow again',
      'quick',
      'quick again',
      'third',
      'third again',
    ]);
  });

  it('a failed one loses only its own work', async () => {
    await open();
    const results = await Promise.allSettled([
      transact((inner) => add(inner, 'one')),
      transact(async (inner) => {
        await add(inner, 'two');
        await add(inner, 'one');
      }),
      add(database.kysely, 'one'),
      transact((inner) => add(inner, 'three')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(database.committed()).toEqual(['one', 'three']);
  });

  it('100 of them → 64 are committed before the turn ends, the others later', async () => {
    const endTurn = await openStepwise();
    const all = Array.from({ length: 100 }, (_, index) => transact((inner) => add(inner, `${index}`)));
    await settle();
    // The others wait for the next turn: whoever has been answered comes first.
    expect(database.committed()).toHaveLength(64);
    await endTurn();
    expect(database.committed()).toHaveLength(64);
    await endTurn();
    expect(database.committed()).toHaveLength(100);
    await Promise.all(all);
  });

  it('slow ones → the first three are committed before the turn ends', async () => {
    const endTurn = await openStepwise();
    const all = Array.from({ length: 4 }, (_, index) =>
      transact(async (inner) => {
        vi.advanceTimersByTime(4);
        await add(inner, `${index}`);
      }),
    );
    await settle();
    expect(database.committed()).toEqual(['0', '1', '2']);
    await endTurn();
    await endTurn();
    expect(await Promise.all(all)).toHaveLength(4);
    expect(database.committed()).toEqual(['0', '1', '2', '3']);
  });
});

describe('a transaction that begins while no other waits', () => {
  /** One that waits in the middle, with two that have come meanwhile. */
  const beginWithFollowers = async () => {
    const { promise: pause, resolve, reject } = Promise.withResolvers<void>();
    const first = transact(async (inner) => {
      await add(inner, 'first');
      await pause;
    });
    await settle();
    const followers = ['second', 'third'].map((text) => transact((inner) => add(inner, text)));
    await settle();
    return { first, followers: Promise.all(followers), goOn: resolve, stop: () => reject(new Error('no')) };
  };

  it('uses no savepoint; those that follow it do', async () => {
    const endTurn = await openStepwise();
    const prepare = vi.spyOn(database.connections.writer, 'prepare');
    const prepared = () => prepare.mock.calls.map(([text]) => text);
    const alone = add(database.kysely, 'alone');
    await settle();
    await endTurn();
    await alone;
    expect(prepared()).toEqual(['begin immediate', expect.stringContaining('insert'), 'commit']);
    prepare.mockClear();
    const { first, followers, goOn } = await beginWithFollowers();
    goOn();
    await settle();
    await endTurn();
    await Promise.all([first, followers]);
    expect(prepared()).toEqual(['savepoint member', 'release member']);
    expect(database.committed()).toEqual(['alone', 'first', 'second', 'third']);
  });

  it('9 of 10 at once fail → the tenth is committed', async () => {
    const endTurn = await openStepwise();
    const all = Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        transact(async (inner) => {
          await add(inner, `${index}`);
          if (index < 9) throw new Error('no');
        }),
      ),
    );
    await settle();
    await endTurn();
    expect((await all).map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(9);
    expect(database.committed()).toEqual(['9']);
  });

  it('fails → the others are not affected', async () => {
    const endTurn = await openStepwise();
    const { first, followers, stop } = await beginWithFollowers();
    stop();
    await expect(first).rejects.toThrow('no');
    expect(database.connections.writer.inTransaction).toBe(false);
    // They begin a group of their own, in the next turn.
    await endTurn();
    await endTurn();
    await followers;
    expect(database.committed()).toEqual(['second', 'third']);
  });

  it('stands idle → it is rolled back, and the others are not affected', async () => {
    await open({ idle: 50 });
    const { first, followers, goOn } = await beginWithFollowers();
    first.catch(() => {});
    await followers;
    expect(database.committed()).toEqual(['second', 'third']);
    goOn();
    await expect(first).rejects.toThrow('The transaction stood idle for too long');
    expect(database.committed()).toEqual(['second', 'third']);
  });

  it('ended by SQLite → the others are not affected', async () => {
    await open();
    const { promise: pause, resolve } = Promise.withResolvers<void>();
    const first = transact(async (inner) => {
      await add(inner, 'first');
      await pause;
      await sql`insert into word values (hex(zeroblob(1000000)))`.execute(inner);
    });
    await settle();
    const second = transact((inner) => add(inner, 'second'));
    database.connections.writer.pragma('max_page_count = 1');
    resolve();
    await expect(first).rejects.toThrow('full');
    await second;
    expect(database.committed()).toEqual(['second']);
  });

  it('rolls back a part of itself by its own savepoints', async () => {
    await open();
    const begun = await database.kysely.startTransaction().execute();
    await add(begun, 'one');
    const outer = await begun.savepoint('outer').execute();
    await add(outer, 'two');
    const inner = await outer.savepoint('inner').execute();
    await add(inner, 'three');
    await (await inner.rollbackToSavepoint('inner').execute()).releaseSavepoint('outer').execute();
    await add(begun, 'four');
    await begun.commit().execute();
    expect(database.committed()).toEqual(['one', 'two', 'four']);

    const undone = await database.kysely.startTransaction().execute();
    await add(undone, 'five');
    await undone.savepoint('outer').execute();
    await undone.rollback().execute();
    expect(database.connections.writer.inTransaction).toBe(false);
    expect(database.committed()).toEqual(['one', 'two', 'four']);
  });

  it('ended by one of its statements → fails', async () => {
    await open();
    const ended = transact(async (inner) => {
      await add(inner, 'one');
      await sql`rollback`.execute(inner);
    });
    await expect(ended).rejects.toThrow('no transaction is active');
    await add(database.kysely, 'two');
    expect(database.committed()).toEqual(['two']);
  });
});

describe('a group of transactions whose commit fails', () => {
  /** Lets the next COMMIT fail as a disk does; what comes after works again. */
  const breakCommit = () => {
    database.connections.writer.exec(
      'create table child (parent text references word (text) deferrable initially deferred)',
    );
    return sql`insert into child values ('nobody')`;
  };

  it('fails for each of them, even for one that had failed already, and the next group is committed', async () => {
    const endTurn = await openStepwise();
    const outcomes: string[] = [];
    const note = watch(outcomes);
    const orphan = breakCommit();
    void note(
      'one',
      transact((inner) => add(inner, 'one')),
    );
    void note(
      'two',
      transact((inner) => orphan.execute(inner)),
    );
    // What it says may be the work of another, which is not there.
    void note(
      'three',
      transact(async (inner) => {
        if ((await read(inner)).includes('one')) throw new Error('there is one');
      }),
    );
    void note('four', add(database.kysely, 'four'));
    await settle();
    await endTurn();
    expect(outcomes.sort()).toEqual(
      ['four', 'one', 'three', 'two'].map((name) => `${name}: FOREIGN KEY constraint failed`),
    );
    expect(database.committed()).toEqual([]);
    // Nor is any of it left on the connection.
    expect(database.connections.writer.inTransaction).toBe(false);

    const next = add(database.kysely, 'next');
    await settle();
    await endTurn();
    await next;
    expect(database.committed()).toEqual(['next']);
  });
});

describe('a transaction that SQLite itself has ended', () => {
  const overfill = (inner: Kysely<Words>) =>
    sql`insert into word values (hex(zeroblob(1000000)))`.execute(inner);

  it('runs no further statements, even if its error is ignored', async () => {
    // No group is old, however slow the machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    await open();
    const before = transact((inner) => add(inner, 'before'));
    database.connections.writer.pragma('max_page_count = 1');
    const ended = transact(async (inner) => {
      await add(inner, 'one');
      await overfill(inner).catch(() => {});
      // By itself this would be a transaction of its own.
      await add(inner, 'two').catch(() => {});
    });
    const after = transact((inner) => add(inner, 'after'));
    await expect(before).rejects.toThrow('full');
    await expect(ended).rejects.toThrow('full');
    await after;
    expect(database.committed()).toEqual(['after']);
  });
});

describe('a connection that a failed ROLLBACK has left in a transaction', () => {
  it('drops that transaction, and commits the next one', async () => {
    await open();
    database.connections.writer.exec("begin; insert into word values ('left')");
    await add(database.kysely, 'one');
    expect(database.committed()).toEqual(['one']);
  });
});

describe('a transaction that has ended', () => {
  it('refuses later statements', async () => {
    const endTurn = await openStepwise();
    let late: Kysely<Words> | undefined;
    const ended = transact(async (inner) => {
      late = inner;
    });
    const next = transact((inner) => add(inner, 'next'));
    await settle();
    await expect(add(late as Kysely<Words>, 'late')).rejects.toThrow('The transaction has ended');
    await endTurn();
    await Promise.all([ended, next]);
    expect(database.committed()).toEqual(['next']);
  });
});

describe('a transaction that stands idle', () => {
  it('is rolled back with an error, and the others are committed', async () => {
    await open({ idle: 50 });
    const before = transact((inner) => add(inner, 'before'));
    const { promise: never, resolve } = Promise.withResolvers<void>();
    const idle = transact(async (inner) => {
      await add(inner, 'idle');
      await never;
      await add(inner, 'idle again');
    });
    idle.catch(() => {});
    await Promise.all([before, add(database.kysely, 'after')]);
    expect(database.committed()).toEqual(['before', 'after']);
    resolve();
    await expect(idle).rejects.toThrow('The transaction stood idle for too long');
    expect(database.committed()).toEqual(['before', 'after']);
  });

  it('a transaction with a statement every 10 ms → does not count as idle', async () => {
    await open({ idle: 50 });
    await transact(async (inner) => {
      for (let count = 0; count < 15; count += 1) {
        await delay(10);
        await add(inner, `${count}`);
      }
    });
    expect(database.committed()).toHaveLength(15);
  });

  it('its answer came while the process was blocked → it goes on, and is committed', async () => {
    await open({ idle: 20 });
    const { sent, received, close } = await connect();
    stack.defer(close);
    await transact(async (inner) => {
      await add(inner, 'one');
      // From here on the writer is watching.
      await turn();
      await turn();
      const answer = once(received, 'data');
      // Between sockets of one machine, what is written is there at once.
      sent.write('x');
      for (const until = performance.now() + 100; performance.now() < until; );
      // The time is over as well, and timers are looked at first.
      await answer;
      await add(inner, 'two');
    });
    expect(database.committed()).toEqual(['one', 'two']);
  });
});

describe('a file that another process has locked', () => {
  /** Another tool, which is in the middle of a transaction. */
  const lock = () => {
    const other = new Sqlite(file);
    other.exec('begin immediate');
    return { unlock: () => void other.close() };
  };

  it('is written once the lock is gone, and the event loop is not blocked', async () => {
    await open();
    const { unlock } = lock();
    const written = Promise.all(['one', 'two'].map((text) => add(database.kysely, text)));
    for (let turns = 0; turns < 30; turns += 1) {
      await delay(5);
      expect(await read()).toEqual([]);
    }
    unlock();
    await written;
    expect(database.committed()).toEqual(['one', 'two']);
    // SQLite's own waiting would block the event loop: it is told to wait for nothing.
    expect(database.connections.writer.pragma('busy_timeout', { simple: true })).toBe(0);
  });

  it('each write that has waited five seconds → fails', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await open();
    const { unlock } = lock();
    const outcomes: string[] = [];
    const note = watch(outcomes);
    const early = ['one', 'two', 'three'].map((text) => note(text, add(database.kysely, text)));
    await delay(30);
    vi.advanceTimersByTime(2000);
    const late = note('late', add(database.kysely, 'late'));
    vi.advanceTimersByTime(2999);
    await delay(100);
    expect(outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    await Promise.all(early);
    expect(outcomes).toEqual(['one', 'two', 'three'].map((name) => `${name}: database is locked`));
    unlock();
    await late;
    expect(outcomes.at(-1)).toBe('late');
    expect(database.committed()).toEqual(['late']);
  });
});

describe('a log that has grown while another program was reading', () => {
  const megabyte = 1024 * 1024;
  const size = async () => (await stat(`${file}-wal`)).size;

  it('is cut to 16 MB by the second commit after the reading has ended', async () => {
    await open();
    await sql`create table ballast (bytes blob)`.execute(database.kysely);
    const grow = () => sql`insert into ballast values (zeroblob(${8 * megabyte}))`.execute(database.kysely);
    const other = new Sqlite(file, { readonly: true });
    const rows = other.prepare('select * from sqlite_schema').iterate();
    rows.next();
    for (let count = 0; count < 4; count += 1) await grow();
    rows.return?.();
    other.close();
    await add(database.kysely, 'first');
    expect(await size()).toBeGreaterThan(32 * megabyte);
    await add(database.kysely, 'second');
    expect(await size()).toBe(16 * megabyte);
    expect(database.committed()).toEqual(['first', 'second']);
  });
});

describe('a statement outside of a transaction', () => {
  it('that begins a transaction is refused, and leaves none open', async () => {
    await open();
    for (const begin of ['begin', 'savepoint x', 'begin immediate', 'begin exclusive'])
      await expect(sql.raw(begin).execute(database.kysely)).rejects.toThrow('transaction');
    await add(database.kysely, 'one');
    expect(database.committed()).toEqual(['one']);
  });

  it('a pragma during a transaction → takes effect outside of it', async () => {
    await open();
    const slow = transact(() => delay(20));
    await sql`pragma foreign_keys = off`.execute(database.kysely);
    await slow;
    expect(database.connections.writer.pragma('foreign_keys', { simple: true })).toBe(0);
  });

  it('a read does not wait for a writer', async () => {
    await open();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const slow = transact(async (inner) => {
      await add(inner, 'one');
      await end;
    });
    expect(await read()).toEqual([]);
    resolve();
    await slow;
    expect(await read()).toEqual(['one']);
  });

  it('a read in a database in memory → waits for the end of the running group', async () => {
    file = ':memory:';
    await open();
    const undone = transact(async (inner) => {
      await add(inner, 'one');
      await delay(20);
      throw new Error('no');
    });
    const seen = read();
    await expect(undone).rejects.toThrow('no');
    expect(await seen).toEqual([]);
  });
});

describe('statements', () => {
  it('are prepared once and kept', async () => {
    await open();
    const write = () => transact((inner) => add(inner, `${Math.random()}`));
    await write();
    await read();
    const { reader, writer } = database.connections;
    const spies = [vi.spyOn(reader, 'prepare'), vi.spyOn(writer, 'prepare')];
    await write();
    await read();
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it('at most 500 are kept: the least recently used is prepared again', async () => {
    await open();
    const ask = (number: number) => sql.raw(`select ${number}`).execute(database.kysely);
    for (let number = 0; number < 500; number += 1) await ask(number);
    const prepare = vi.spyOn(database.connections.reader, 'prepare');
    await ask(499);
    expect(prepare).not.toHaveBeenCalled();
    await ask(500);
    await ask(501);
    prepare.mockClear();
    await ask(0);
    expect(prepare).toHaveBeenCalledOnce();
  });

  it("accept dates and booleans, and return SQLite's values", async () => {
    await open();
    const { rows } = await sql`select ${new Date(5)} as at, ${true} as yes, ${null} as none`.execute(
      database.kysely,
    );
    expect(rows).toEqual([{ at: 5, yes: 1, none: null }]);
  });
});

describe('closing the database', () => {
  it('commits an open group', async () => {
    await openStepwise();
    const written = add(database.kysely, 'one');
    await settle();
    await database.kysely.destroy();
    await written;
    expect(new Sqlite(file, { readonly: true }).prepare('select text from word').pluck().all()).toEqual([
      'one',
    ]);
  });

  it('running and waiting transactions, and later reads → an error', async () => {
    await open();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const middle = transact(async (inner) => {
      await add(inner, 'one');
      await end;
      await add(inner, 'two');
    });
    middle.catch(() => {});
    const waiting = add(database.kysely, 'three');
    waiting.catch(() => {});
    await settle();
    await database.kysely.destroy();
    resolve();
    await expect(middle).rejects.toThrow('not open');
    await expect(waiting).rejects.toThrow('not open');
    await expect(read()).rejects.toThrow('destroyed');
  });
});
