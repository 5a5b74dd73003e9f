import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder } from '../support/process.ts';

const server = inject('postgresUrl');

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let issuer: TestIssuer;
let gateway: TestGateway;
let url: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  issuer = await startIssuer();
  url =
    server === undefined
      ? `sqlite:${join(folder.path, 'keyward.db')}`
      : await createOnServer(server, inject('postgresTemplate'));
  gateway = await createTestGateway(issuer, { databaseUrl: url });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  expect(await gateway.reset()).toBe(true);
});

const makeChange = async () => {
  const token = await issuer.sign();
  expect((await gateway.rest('POST', '/auth/keys', { token, json: {} })).status).toBe(201);
};

const trail = () => gateway.rows('audit_event');

/** Runs a statement as any other program would that may write to the database. */
const runBeside = async (statement: string): Promise<void> => {
  if (server === undefined) {
    const client = new Sqlite(url.slice('sqlite:'.length), { fileMustExist: true });
    try {
      client.exec(statement);
    } finally {
      client.close();
    }
    return;
  }
  await using client = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
  await client.em.getConnection().execute(statement);
};

const columns = 'account_id, action, target, request, address, created_at';

/** Selects the row of an event with another action. */
const forged = (id: number) =>
  `select ${id}, account_id, 'forged', target, request, address, created_at from audit_event where id = ${id}`;

const statements = [
  (id: number) => `update audit_event set action = 'forged' where id = ${id}`,
  (id: number) => `update audit_event set id = 99 where id = ${id}`,
  (id: number) => `update audit_event set address = null where id = ${id}`,
  () => 'update audit_event set address = null, details = null, reason = null',
  (id: number) => `delete from audit_event where id = ${id}`,
  () => 'delete from audit_event',
  (id: number) =>
    `insert into audit_event (id, ${columns}) ${forged(id)} on conflict (id) do update set action = 'forged'`,
];

const ofSqlite = [
  (id: number) => `replace into audit_event (id, ${columns}) ${forged(id)}`,
  (id: number) => `replace into audit_event (rowid, ${columns}) ${forged(id)}`,
  (id: number) => `insert or replace into audit_event (id, ${columns}) ${forged(id)}`,
  (id: number) => `insert or ignore into audit_event (id, ${columns}) ${forged(id)}`,
  (id: number) => `begin; replace into audit_event (id, ${columns}) ${forged(id)}; commit`,
  (id: number) => `update or replace audit_event set id = ${id === 1 ? 2 : 1} where id = ${id}`,
  (id: number) => `pragma foreign_keys = off; replace into audit_event (id, ${columns}) ${forged(id)}`,
];

const ofPostgres = [
  () => 'truncate audit_event',
  () => 'truncate audit_event restart identity',
  () => 'truncate account cascade',
  (id: number) =>
    `merge into audit_event using (select 1) as one on id = ${id} when matched then update set action = 'forged'`,
  (id: number) => `merge into audit_event using (select 1) as one on id = ${id} when matched then delete`,
];

const refused = [...statements, ...(server === undefined ? ofSqlite : ofPostgres)];

describe('no program can change or delete events', () => {
  it.each(refused.flatMap((statement) => [1, 3].map((id) => statement(id))))('%s', async (statement) => {
    await makeChange();
    await makeChange();
    const before = await trail();
    expect(before.map(({ id }) => id)).toEqual([1, 2, 3]);
    await expect(runBeside(statement)).rejects.toThrow(/audit events are never/);
    expect(await trail()).toEqual(before);
  });
});

describe('in events of an erased account', () => {
  const erase = async () => {
    await makeChange();
    await runBeside("update account set erased_at = created_at where subject = 'alice'");
  };

  it('addresses, details and reasons can be emptied', async () => {
    await erase();
    const before = await trail();
    await runBeside('update audit_event set address = null, details = null, reason = null');
    expect(await trail()).toEqual(
      before.map((row) => ({ ...row, address: null, details: null, reason: null })),
    );
  });

  it.each([
    ...['id = id + 100', 'account_id = account_id + 1', "actor = 'operator'", 'other_id = account_id'],
    ...["action = 'forged'", 'target = 99', "request = 'forged'", 'created_at = created_at + created_at'],
    'of_day = of_day - 1',
    ...["address = '192.0.2.66'", "details = '[]'", "reason = 'forged'"],
  ])('nothing else can be changed: %s', async (assignment) => {
    await erase();
    const before = await trail();
    // PostgreSQL adds no times: that statement is refused before.
    await expect(runBeside(`update audit_event set address = null, ${assignment}`)).rejects.toThrow();
    await expect(runBeside(`update audit_event set ${assignment}`)).rejects.toThrow();
    await expect(runBeside('delete from audit_event')).rejects.toThrow(/audit events are never/);
    expect(await trail()).toEqual(before);
  });
});

it('events are still added after a refused change', async () => {
  await makeChange();
  const before = await trail();
  for (const statement of refused) await expect(runBeside(statement(1))).rejects.toThrow();
  await makeChange();
  const [next, ...more] = (await trail()).slice(before.length);
  expect(next).toMatchObject({ action: 'api-key-created', target: 2 });
  expect(more).toEqual([]);
});
