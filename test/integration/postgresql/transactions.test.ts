import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { Db, prepareQuery } from '../../../src/database/db.ts';
import { translateError } from '../../../src/database/failures.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { Account, type AccountId } from '../../../src/database/tables.ts';
import { audited } from '../../../src/operations/audited.ts';
import type { OperationContext } from '../../../src/operations/context.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import { startHeldProxy } from '../../support/held-proxy.ts';
import { queryServer } from '../../support/postgres-service.ts';

const insert = prepareQuery(Account, (db, { subject }: { subject: string }) =>
  db
    .insertInto('account')
    .values({ issuer: 'https://id.example.com', subject, created_at: new Date(0) })
    .returning(['id', 'subject']),
);

/** Triggers keep audit events from being truncated. */
const emptying = `begin;
  set local session_replication_role = replica;
  truncate account restart identity cascade;
  commit`;

let url: string;
let proxy: Awaited<ReturnType<typeof startHeldProxy>>;
let database: Database;
let db: Db;
beforeAll(async () => {
  url = await createOnServer(inject('postgresUrl') ?? '');
  proxy = await startHeldProxy(url);
  await using empty = await openDatabase(databaseConfig(url));
  await migrate(empty, databaseConfig(url));
  await empty.em
    .getConnection()
    .execute('create table child (parent int references account (id) deferrable initially deferred)');
});
afterAll(() => proxy?.[Symbol.dispose]());
beforeEach(async () => {
  database = await openDatabase({ ...databaseConfig(proxy.through(url)), poolSize: 1 });
  db = new Db(database.em);
  await database.em.getConnection().execute(emptying);
});
afterEach(() => database?.[Symbol.asyncDispose]());

const run = (on: Db, sql: string) => on.run(CompiledQuery.raw(sql), Account);

/** What others see. */
const stored = async () =>
  (await queryServer(url)('select subject from account order by id')).map(({ subject }) => subject);

const orphan = 'insert into child (parent) values (99)';

describe('the last statement of a transaction', () => {
  it('goes to the server together with COMMIT', async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<Disposable>();
    const transaction = db.transaction(async (inner) => {
      await insert(inner, { subject: 'first' });
      hold(proxy.hold());
      return insert(inner, { subject: 'last' }, { last: true });
    });
    const holding = await held;
    await expect.poll(stored).toEqual(['first', 'last']);
    holding[Symbol.dispose]();
    expect(await transaction).toMatchObject([{ subject: 'last' }]);
  });

  it('of a change is its audit event, which is reported only after COMMIT', async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<Disposable>();
    const events: string[] = [];
    const context = {
      db,
      requestSource: { id: 'r', address: null },
      events: (name: string) => events.push(name),
      services: { settings: { changesPerDay: 1 } },
    };
    const change = audited(context as unknown as OperationContext, async (inner) => {
      const [account] = await insert(inner.db, { subject: 'alice' });
      inner.events('account-created', { accountId: account?.id as AccountId });
      hold(proxy.hold());
    });
    const holding = await held;
    const written = () => queryServer(url)('select action from audit_event');
    await expect.poll(written).toEqual([{ action: 'account-created' }]);
    // It is not certain before the answer is there.
    expect(events).toEqual([]);
    holding[Symbol.dispose]();
    await change;
    expect(events).toEqual(['account-created']);
  });

  it('fails → nothing is stored, and the error says why', async () => {
    const transaction = db.transaction(async (inner) => {
      await insert(inner, { subject: 'alice' });
      return insert(inner, { subject: 'alice' }, { last: true });
    });
    await expect(transaction).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([]);
  });

  it('goes with a COMMIT that fails → nothing is stored, and the error says why', async () => {
    const transaction = db.transaction(async (inner) => {
      await run(inner, orphan);
      return insert(inner, { subject: 'alice' }, { last: true });
    });
    await expect(transaction).rejects.toMatchObject({ code: '23503' });
    expect(await stored()).toEqual([]);
  });

  it('has a stale plan → the whole transaction is run again', async () => {
    await insert(db, { subject: 'before' });
    await queryServer(url)('alter table account alter column subject type varchar(256)');
    await db.transaction((inner) => insert(inner, { subject: 'after' }, { last: true }));
    expect(await stored()).toEqual(['before', 'after']);
  });
});

describe('a transaction', () => {
  it('whose COMMIT fails → nothing is stored, and the error says why', async () => {
    const transaction = db.transaction(async (inner) => {
      await insert(inner, { subject: 'alice' });
      await run(inner, orphan);
    });
    await expect(transaction).rejects.toMatchObject({ code: '23503' });
    expect(await stored()).toEqual([]);
  });

  it.each([false, true])(
    'with an ignored error fails, and stores nothing; COMMIT with the last statement: %s',
    async (last) => {
      const error = await db
        .transaction(async (inner) => {
          await insert(inner, { subject: 'alice' });
          await run(inner, 'selekt').catch(() => {});
          if (last) await insert(inner, { subject: 'bob' }, { last }).catch(() => {});
        })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: '25P02' });
      expect(translateError(error).status).toBe(500);
      expect(await stored()).toEqual([]);
    },
  );

  it('leaves its connection usable for the next one, even if it fails', async () => {
    const failing = () => db.transaction((inner) => run(inner, 'selekt'));
    for (const attempt of [failing, failing]) await expect(attempt()).rejects.toThrow('syntax error');
    const [before] = await run(db, 'select pg_backend_pid() as pid');
    await expect(failing()).rejects.toThrow('syntax error');
    await db.transaction((inner) => insert(inner, { subject: 'alice' }, { last: true }));
    expect(await run(db, 'select pg_backend_pid() as pid')).toEqual([before]);
    expect(await stored()).toEqual(['alice']);
  });
});

describe('a query past its deadline when it gets its connection', () => {
  it('is not sent, and leaves the connection usable', async () => {
    const process = () => run(db, 'select pg_backend_pid() as pid');
    const before = await process();
    const { promise: until, resolve: end } = Promise.withResolvers<void>();
    const holder = db.transaction(() => until);
    const late = insert(db.until(performance.now() + 100), { subject: 'late' }).catch((error) => error);
    await delay(300);
    end();
    await holder;
    expect(await late).toMatchObject({ message: expect.stringContaining('the time for the answer is over') });
    expect(await process()).toEqual(before);
    expect(await stored()).toEqual([]);
  });
});
