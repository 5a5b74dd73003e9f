import { CompiledQuery } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { DatabaseConfig } from '../../../src/config/config.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { Db, prepareQuery } from '../../../src/database/db.ts';
import { translateError } from '../../../src/database/failures.ts';
import { Account } from '../../../src/database/tables.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';

const select = prepareQuery(Account, (db, { subject }: { subject: string }) =>
  db.selectFrom('account').select(['id', 'subject']).where('subject', '=', subject),
);

const insert = prepareQuery(Account, (db, { subject }: { subject: string }) =>
  db
    .insertInto('account')
    .values({ issuer: 'https://id.example.com', subject, created_at: new Date(0) })
    .returning(['id', 'subject']),
);

let url: string;
let database: Database;
let db: Db;
const warn = vi.fn();

beforeAll(async () => {
  url = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
});

/** Opens the database anew; with one connection, so that each statement meets what those before it have left. */
async function open(config: Partial<DatabaseConfig> = {}): Promise<void> {
  await database?.[Symbol.asyncDispose]();
  database = await openDatabase({ ...databaseConfig(url), poolSize: 1, ...config }, warn);
  db = new Db(database.em);
}

/** Triggers keep audit events from being truncated. */
const emptying = `begin;
  set local session_replication_role = replica;
  truncate account restart identity cascade;
  commit`;

beforeEach(async () => {
  warn.mockReset();
  await open();
  await database.em.getConnection().execute(emptying);
  await insert(db, { subject: 'alice' });
});
afterEach(() => database[Symbol.asyncDispose]());

const run = (sql: string, ...values: unknown[]) => db.run(CompiledQuery.raw(sql, values), Account);

/** The statements that the connection has prepared, and how often each was run. */
const prepared = () =>
  run(
    'select statement, (generic_plans + custom_plans)::int as runs from pg_prepared_statements order by runs',
  );

/** The process of the server's that the connection leads to. */
const backend = () => run('select pg_backend_pid() as pid');

let length = 255;

/** A migration by somebody else, after which what is prepared answers in another form. */
async function widen(): Promise<void> {
  length += 1;
  await using other = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
  await other.em.getConnection().execute(`alter table account alter column subject type varchar(${length})`);
}

const subjects = async () => (await run('select subject from account order by id')).flatMap(Object.values);

describe('a prepared query', () => {
  it('sent with COMMIT, with a stale plan → the whole transaction is run again', async () => {
    for (let round = 0; round < 10; round += 1) {
      await open();
      await insert(db, { subject: `prepared ${round}` });
      await widen();
      await db.transaction(async (inner) => {
        const first = `insert into account (issuer, subject, created_at) values ('i', 'first ${round}', now())`;
        await inner.run(CompiledQuery.raw(first), Account);
        await insert(inner, { subject: `last ${round}` }, { last: true });
      });
      expect((await subjects()).slice(-2)).toEqual([`first ${round}`, `last ${round}`]);
    }
  });

  it('is prepared once for each connection, and then only run', async () => {
    await select(db, { subject: 'alice' });
    await db.transaction((inner) => select(inner, { subject: 'alice' }));
    await select(db, { subject: 'bob' });
    expect(await prepared()).toEqual([
      { statement: expect.stringMatching(/^insert into "account"/), runs: 1 },
      { statement: expect.stringMatching(/^select "id", "subject"/), runs: 3 },
    ]);
  });

  it('is not prepared if statements are configured as unnamed', async () => {
    await open({ statements: 'unnamed' });
    expect(await select(db, { subject: 'alice' })).toEqual([{ id: 1, subject: 'alice' }]);
    expect(await prepared()).toEqual([]);
  });
});

it('statements with changing texts → not kept prepared', async () => {
  const before = await prepared();
  for (let index = 0; index < 50; index += 1) await run(`select $1::int + ${index}`, index);
  expect(await prepared()).toEqual(before);
});

describe('a plan that a migration has made stale', () => {
  beforeEach(async () => {
    await select(db, { subject: 'alice' });
    await widen();
  });

  it('is replaced without a warning', async () => {
    expect(await select(db, { subject: 'alice' })).toEqual([{ id: 1, subject: 'alice' }]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('in a transaction → the whole transaction is run again', async () => {
    let runs = 0;
    const stored = await db.transaction(async (inner) => {
      runs += 1;
      await inner.run(CompiledQuery.raw("update account set issuer = 'x' || issuer"), Account);
      return insert(inner, { subject: `run ${runs}` });
    });
    expect(stored).toMatchObject([{ subject: 'run 2' }]);
    expect(await subjects()).toEqual(['alice', 'run 2']);
    expect(await run("select count(*)::int as n from account where issuer like 'xx%'")).toEqual([{ n: 0 }]);
  });

  it('closes its connection, and the next one has no prepared statements', async () => {
    const [before] = await backend();
    await select(db, { subject: 'alice' });
    expect(await backend()).not.toEqual([before]);
    expect(await prepared()).toEqual([]);
  });

  it('for the next minute → statements are not prepared', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await select(db, { subject: 'alice' });
    await select(db, { subject: 'alice' });
    expect(await prepared()).toEqual([]);
    await widen();
    await db.transaction((inner) => insert(inner, { subject: 'bob' }));
    vi.advanceTimersByTime(60_000);
    await select(db, { subject: 'alice' });
    vi.useRealTimers();
    expect(await prepared()).toEqual([{ statement: expect.stringMatching(/^select "id"/), runs: 1 }]);
  });
});

/** Ways for a connection to lead to another server process than before. */
const mixUps: [string, () => Promise<unknown>][] = [
  ['lacks what was prepared on it', () => run('deallocate all')],
  [
    'has what was not prepared on it',
    async () => {
      const names = (await run('select name from pg_prepared_statements')) as { name: string }[];
      await open();
      for (const { name } of names) await run(`prepare "${name}" as select 1`);
    },
  ],
];

describe.each(mixUps)('a connection through a pooler that %s', (_what, mixUp) => {
  beforeEach(async () => {
    await select(db, { subject: 'alice' });
    await mixUp();
  });

  it('is noticed → one warning, and statements are no longer prepared', async () => {
    expect(await select(db, { subject: 'alice' })).toEqual([{ id: 1, subject: 'alice' }]);
    await run('deallocate all');
    expect(await select(db, { subject: 'alice' })).toEqual([{ id: 1, subject: 'alice' }]);
    expect(await prepared()).toEqual([]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('DATABASE_STATEMENTS=unnamed')]]);
  });

  it('is noticed in a transaction → the whole transaction is run again', async () => {
    const [stored] = await db.transaction((inner) => insert(inner, { subject: 'bob' }));
    expect(stored).toMatchObject({ subject: 'bob' });
    expect(await subjects()).toEqual(['alice', 'bob']);
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe('a query that fails for another reason', () => {
  it('reports its error, and stays prepared', async () => {
    const error = await insert(db, { subject: 'alice' }).catch((reason: unknown) => reason);
    expect(translateError(error)).toMatchObject({ status: 500, cause: { code: '23505' } });
    await expect(insert(db, { subject: 'x'.repeat(300) })).rejects.toThrow('too long');
    expect(await prepared()).toMatchObject([{ statement: expect.stringMatching(/^insert/) }]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ['what is not there', 'select 1 from nothing'],
    ['what is not supported', "do $$ begin raise feature_not_supported using message = 'no'; end $$"],
  ])('ends its transaction, which is not run again: %s', async (_what, sql) => {
    const work = vi.fn((inner: Db) => inner.run(CompiledQuery.raw(sql), Account));
    await expect(db.transaction(work)).rejects.toThrow();
    expect(work).toHaveBeenCalledOnce();
  });
});
