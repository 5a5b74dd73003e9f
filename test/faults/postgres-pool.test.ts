import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { translateError } from '../../src/database/failures.ts';
import { migrate } from '../../src/database/migrate.ts';
import { Account } from '../../src/database/tables.ts';
import { createOnServer, databaseConfig, inTransaction } from '../support/database.ts';
import type { Query } from '../support/ledger.ts';
import {
  type OwnPostgres,
  queryServer,
  stall,
  startOwnPostgres,
  terminateAll,
} from '../support/postgres-service.ts';

const poolSize = 3;
const timeouts = { connect: 2000, statement: 4000, idleInTransaction: 3000 };

let postgres: OwnPostgres;
let database: Database;
/** Asks the server by a connection that is not the pool's. */
let query: Query;
let url: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());
beforeEach(async () => {
  url = await createOnServer(postgres.url);
  query = queryServer(url);
  const config = { ...databaseConfig(url), poolSize, timeouts };
  database = await openDatabase(config);
  await migrate(database, config);
});
// A pool that has lost a connection is never closed; the test has then failed already.
afterEach(() => Promise.race([database?.[Symbol.asyncDispose](), delay(3000)]));

const run = (sql: string) => database.em.fork().execute(sql);

/** A transaction in which something happens between two statements. */
const transact = (between: () => unknown = () => {}, sql = 'select 1') =>
  inTransaction(database, async (execute) => {
    await execute('select 1');
    await between();
    await execute(sql);
  });

/** The same, without a statement after what happens. */
const commitAfter = (between: () => unknown) =>
  inTransaction(database, async (execute) => {
    await execute('select 1');
    await between();
  });

const insert = (subject: string) =>
  database.em.fork().insert(Account, { issuer: 'https://id.example.com', subject, createdAt: new Date() });

/** Lets somebody do something for each connection of the pool at once. */
const onEach = <Result>(work: (index: number) => Promise<Result>): Promise<Result>[] =>
  Array.from({ length: poolSize }, (_, index) => work(index));

/** A place where as many as the pool has connections wait for each other; who comes last does something first. */
function createMeeting(then: () => unknown = () => {}) {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  promise.catch(() => {});
  let arrived = 0;
  const meet = () => {
    arrived += 1;
    if (arrived === poolSize) resolve(then());
    return promise;
  };
  return { meet, met: promise, cancel: reject };
}

/** The errors of attempts that must all fail. */
const errorsOf = async (attempts: readonly Promise<unknown>[]): Promise<unknown[]> => {
  const results = await Promise.allSettled(attempts);
  return results.map((result) =>
    result.status === 'rejected' ? result.reason : expect.fail('it succeeded'),
  );
};

/** Takes every connection of the pool at once: each transaction waits until all have begun. */
async function useWholePool(): Promise<void> {
  const { meet, cancel } = createMeeting();
  const attempts = onEach(() => transact(meet));
  // Where one cannot begin, the others would wait for it.
  for (const attempt of attempts) attempt.catch(cancel);
  const failed = (await Promise.allSettled(attempts)).find(({ status }) => status === 'rejected');
  if (failed) await Promise.reject((failed as PromiseRejectedResult).reason);
}

/** Holds every connection of the pool, in transactions, while something is done. */
async function whileHeld<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const { meet, met } = createMeeting();
  const holding = onEach(() =>
    transact(async () => {
      await meet();
      await end;
    }),
  );
  await met;
  try {
    return await work();
  } finally {
    resolve();
    await Promise.all(holding);
  }
}

/** Fails unless the pool has all its connections again soon. */
async function expectWhole(): Promise<void> {
  await expect
    .poll(() => useWholePool().then(() => 'whole', String), { timeout: 60_000, interval: 100 })
    .toBe('whole');
}

/** Waits until the statements that match are running, as many as there are connections. */
const untilRunning = (pattern: RegExp) =>
  expect
    .poll(
      async () => {
        const rows = await query("select query from pg_stat_activity where state = 'active'");
        return rows.filter((row) => pattern.test(`${row['query']}`)).length;
      },
      { interval: 10, timeout: 20_000 },
    )
    .toBe(poolSize);

/** Ways for PostgreSQL to fail every connection of the pool; each gives the errors that come of it. */
const failures: [string, () => Promise<unknown[]>][] = [
  ['statements that take too long', () => errorsOf(onEach(() => run('select pg_sleep(60)')))],
  [
    'statements that take too long, in transactions',
    () => errorsOf(onEach(() => transact(undefined, 'select pg_sleep(60)'))),
  ],
  [
    'connections terminated while statements run',
    async () => {
      const running = errorsOf(onEach(() => run('select pg_sleep(60)')));
      await untilRunning(/^select pg_sleep/);
      await terminateAll(query);
      return await running;
    },
  ],
  [
    'connections terminated while they are idle in a transaction',
    () => {
      const { meet } = createMeeting(() => terminateAll(query));
      return errorsOf(onEach(() => transact(meet)));
    },
  ],
  [
    'connections terminated before COMMIT',
    () => {
      const { meet } = createMeeting(() => terminateAll(query));
      return errorsOf(onEach(() => commitAfter(meet)));
    },
  ],
  [
    'transactions that stand idle for too long',
    () => errorsOf(onEach(() => transact(() => delay(timeouts.idleInTransaction + 1000)))),
  ],
  ['no connection free for a statement', () => whileHeld(() => errorsOf(onEach(() => run('select 1'))))],
  ['no connection free for a transaction', () => whileHeld(() => errorsOf(onEach(() => transact())))],
  [
    'connections that neither answer nor end, in transactions',
    async () => {
      const { promise, resolve } = Promise.withResolvers<{ resume(): void }>();
      const { meet } = createMeeting(async () => resolve(await stall(query)));
      const failed = errorsOf(onEach(() => transact(meet)));
      const { resume } = await promise;
      const errors = await failed;
      resume();
      return errors;
    },
  ],
  [
    'connections that neither answer nor end, at BEGIN',
    async () => {
      await useWholePool();
      const { resume } = await stall(query);
      const errors = await errorsOf(onEach(() => transact()));
      resume();
      return errors;
    },
  ],
  [
    'a server that is killed while connections are idle in a transaction',
    async () => {
      const { meet } = createMeeting(() => postgres.kill());
      const errors = await errorsOf(onEach(() => transact(meet)));
      await postgres.start();
      return errors;
    },
  ],
  [
    'a server that is down',
    async () => {
      await postgres.stop();
      const errors = await errorsOf([
        run('select 1'),
        transact(),
        insert('alice'),
        run('select 1'),
        transact(),
      ]);
      await postgres.start();
      return errors;
    },
  ],
  [
    'a server that takes no more connections',
    async () => {
      const name = new URL(url).pathname.slice(1);
      const limit = (connections: number) =>
        queryServer(postgres.url)(`alter database ${name} connection limit ${connections}`);
      // It binds all but a superuser.
      await query("create role visitor login password 'visitor'");
      const visitorUrl = Object.assign(new URL(url), { username: 'visitor', password: 'visitor' }).href;
      await using visitor = await openDatabase({ ...databaseConfig(visitorUrl), poolSize, timeouts });
      await limit(0);
      await terminateAll(query);
      await visitor.em
        .fork()
        .execute('select 1')
        .catch(() => {});
      const errors = await errorsOf([
        visitor.em.fork().execute('select 1'),
        inTransaction(visitor, (execute) => execute('select 1')),
      ]);
      await limit(-1);
      await visitor.em.fork().execute('select 1');
      await query('drop role visitor');
      return errors;
    },
  ],
];

describe('503', () => {
  it.each(failures)(
    'is what becomes of %s, and the pool is whole again',
    async (_what, fail) => {
      await useWholePool();
      for (const error of await fail()) {
        const { status, headers, reason } = translateError(error);
        expect.soft({ status, headers, reason, error }).toEqual({
          status: 503,
          headers: { 'retry-after': '5' },
          reason: 'database',
          error,
        });
      }
      await expectWhole();
    },
    30_000,
  );

  it('is the response while the server is starting', async () => {
    await postgres.kill();
    const seen = new Set<number>();
    const asking = new AbortController();
    const ask = async (): Promise<void> => {
      while (!asking.signal.aborted) {
        for (const attempt of [() => run('select 1'), () => transact()]) {
          await attempt().catch((error: unknown) => seen.add(translateError(error).status));
        }
      }
    };
    const asked = ask();
    await postgres.start();
    asking.abort();
    await asked;
    expect([...seen]).toEqual([503]);
    await expectWhole();
  }, 30_000);
});

describe('500', () => {
  it.each([
    ['a unique constraint', "insert into account select 1, 'i', 's', now() from generate_series(1, 2)"],
    ['a foreign key', "insert into api_key (account_id, key_prefix, created_at) values (9, '', now())"],
    ['a table that is not there', 'select * from nothing'],
    ['a query that is none', 'selekt 1'],
    ['a value that is too long', "insert into account values (1, 'i', repeat('s', 300), now())"],
    ['a number that is too large', 'select 3000000000::int'],
    ['a refusal by the schema', "do $$ begin raise exception 'refused'; end $$"],
    ['a right that is missing', 'do $$ begin raise insufficient_privilege; end $$'],
  ])('is what becomes of %s: asking again would not help', async (_what, sql) => {
    const [error] = await errorsOf([run(sql)]);
    expect(translateError(error)).toMatchObject({ status: 500, cause: error });
  });
});

describe('an acknowledged write', () => {
  it('is kept by connections whose BEGIN was carried out late, without a response', async () => {
    await useWholePool();
    const { resume } = await stall(query);
    await errorsOf(onEach(() => transact()));
    resume();
    const subjects = Array.from({ length: 4 * poolSize }, (_, index) => `writer-${index}`);
    await Promise.all(subjects.map(insert));
    // By another connection: the writer's own would see what it never committed.
    const rows = await query('select subject from account');
    expect(rows.map((row) => row['subject']).sort()).toEqual(subjects.sort());
  }, 30_000);
});
