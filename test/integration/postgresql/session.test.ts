import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { PostgresClient } from '../../../src/database/postgresql/connection.ts';
import { openSession } from '../../../src/database/postgresql/session.ts';
import { Account } from '../../../src/database/tables.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import { queryServer } from '../../support/postgres-service.ts';

let url: string;
let database: Database | undefined;
let looks: number;

/** Milliseconds that have passed for this process: no others pass, however busy the machine is. */
let passed: number;

beforeEach(async () => {
  url = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
  passed = 0;
  const begun = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => begun + passed);
  looks = 0;
  const { query } = PostgresClient.prototype;
  vi.spyOn(PostgresClient.prototype, 'query').mockImplementation(function (
    this: PostgresClient,
    ...given: unknown[]
  ) {
    const [{ text }] = given as [{ readonly text?: unknown }];
    // Another test's connection may still be closing in this process.
    if (text === openSession.sql && url.endsWith(`/${this.database}`)) looks += 1;
    return query.apply(this, given as never) as never;
  });
});
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

const open = async (poolSize = 1) => {
  database = await openDatabase({ ...databaseConfig(url), poolSize }, () => {});
  return new Db(database.em);
};

const run = (db: Db, sql: string) => db.run(CompiledQuery.raw(sql), Account);

const insert = (subject: string) =>
  `insert into account (issuer, subject, created_at) values ('https://id.example.com', '${subject}', now())`;

const stored = async () =>
  (await queryServer(url)('select subject from account order by id')).map(({ subject }) => subject);

describe('a connection', () => {
  it.each(['database', 'role'])('has settings of its own, whatever those of the %s are', async (kind) => {
    const name = kind === 'database' ? new URL(url).pathname.slice(1) : 'settled';
    const server = queryServer(inject('postgresUrl') ?? '');
    if (kind === 'role') {
      await server("create role settled login superuser password 'settled'");
      url = Object.assign(new URL(url), { username: 'settled', password: 'settled' }).href;
    }
    try {
      for (const setting of [
        "datestyle = 'SQL, DMY'",
        "intervalstyle = 'iso_8601'",
        "timezone = 'Pacific/Apia'",
        "bytea_output = 'escape'",
        "default_transaction_isolation = 'serializable'",
        "client_encoding = 'LATIN1'",
      ])
        await server(`alter ${kind} ${name} set ${setting}`);
      const db = await open();
      const shown = `select current_setting('datestyle') as a, current_setting('intervalstyle') as b,
        current_setting('timezone') as c, current_setting('bytea_output') as d,
        current_setting('transaction_isolation') as e, current_setting('client_encoding') as f`;
      const ours = { a: 'ISO, YMD', b: 'postgres', c: 'UTC', d: 'hex', e: 'read committed', f: 'UTF8' };
      expect(await run(db, shown)).toEqual([ours]);
      expect(await db.transaction((inner) => run(inner, shown))).toEqual([ours]);
      // As a pooler leaves it that knows nothing of this setting.
      await run(db, "set default_transaction_isolation = 'serializable'");
      expect(await db.transaction((inner) => run(inner, shown))).toEqual([ours]);
    } finally {
      await database?.[Symbol.asyncDispose]();
      database = undefined;
      if (kind === 'role') await server('drop role settled');
    }
  });

  it('that conflicts with another one → runs its statement again', async () => {
    await run(await open(), insert('alice'));
    const db = new Db((database as Database).em);
    // As behind a pooler that does not keep the isolation level.
    await run(db, "set default_transaction_isolation = 'serializable'");
    await using other = await openDatabase({ ...databaseConfig(url), poolSize: 2 }, () => {});
    const change = "update account set subject = subject || '!'";
    let changing: Promise<unknown> | undefined;
    await new Db(other.em).transaction(async (inner) => {
      await run(inner, change);
      changing = run(db, change);
      const waiting =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      await expect.poll(() => run(inner, waiting), { timeout: 10_000 }).toHaveLength(1);
    });
    await changing;
    expect(await stored()).toEqual(['alice!!']);
  });

  it('is looked at when it opens, and then at most every two seconds', async () => {
    const db = await open();
    for (let index = 0; index < 50; index += 1) await run(db, 'select 1');
    expect(looks).toBe(1);
    passed += 2001;
    for (let index = 0; index < 50; index += 1) await run(db, 'select 1');
    expect(looks).toBe(2);
  });
});

/** Makes the session of a connection read-only, as if its server had become so; new connections can write. */
const setReadOnly = 'set session characteristics as transaction read only';

const process = async (db: Db) => {
  const [{ pid } = { pid: 0 }] = (await run(db, 'select pg_backend_pid() as pid')) as { pid: number }[];
  return pid;
};

describe('a server that became read-only', () => {
  it.each([
    ['a statement', (db: Db) => run(db, insert('alice'))],
    ['a transaction', (db: Db) => db.transaction((inner) => run(inner, insert('alice')))],
  ])('%s that writes → runs again, on a new connection', async (_what, write) => {
    const db = await open();
    const before = await process(db);
    await run(db, setReadOnly);
    passed += 1500;
    await write(db);
    expect(await stored()).toEqual(['alice']);
    expect(await process(db)).not.toBe(before);
  });

  it('whoever only reads → leaves it within two seconds', async () => {
    const db = await open();
    const before = await process(db);
    await run(db, setReadOnly);
    expect(await process(db)).toBe(before);
    passed += 2001;
    expect(await process(db)).not.toBe(before);
  });

  it('the other connections → are looked at before their next use', async () => {
    const db = await open(3);
    const all = () =>
      Promise.all(
        Array.from({ length: 3 }, () => db.transaction((inner) => run(inner, 'select pg_sleep(0.05)'))),
      );
    await all();
    expect(looks).toBe(3);
    await db.transaction((inner) => run(inner, 'set transaction read only'));
    await expect(
      db.transaction(async (inner) => {
        await run(inner, 'set transaction read only');
        await run(inner, insert('alice'));
      }),
    ).rejects.toThrow(/read-only/);
    passed += 1;
    looks = 0;
    await all();
    expect(looks).toBeGreaterThanOrEqual(2);
    looks = 0;
    await all();
    expect(looks).toBe(0);
  });

  it('new connections lead to it as well → they are read from, and replaced at most once a second', async () => {
    const name = new URL(url).pathname.slice(1);
    await queryServer(inject('postgresUrl') ?? '')(
      `alter database ${name} set default_transaction_read_only = on`,
    );
    looks = 0;
    const db = await open();
    const first = await process(db);
    for (let index = 0; index < 20; index += 1) {
      await expect(run(db, insert('alice'))).rejects.toThrow(/read-only/);
      expect(await process(db)).toBe(first);
    }
    expect(looks).toBe(1);
    passed += 1001;
    expect(await process(db)).not.toBe(first);
    expect(looks).toBe(2);
  });
});
