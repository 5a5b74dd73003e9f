import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { callerOf, createPeople, operatorOf, trailOf } from '../support/operators.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const server = inject('postgresUrl');

const setup = setUpGateway();

const call = callerOf(setup);

const auditor = { sub: 'ada', scope: 'keyward.audit' };

const actionsOf = (outcome: Awaited<ReturnType<typeof call>>) =>
  outcome.data.nodes.map(({ action }: { action: string }) => action);

it('200: the events of all accounts, newest first, for an auditor or an operator; reading them is recorded', async () => {
  const { bob } = await createPeople(setup);
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'bob' });
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'carol' });
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'x' });
  const read = await call('auditTrail', {}, auditor);
  expect(actionsOf(read)).toEqual([
    'api-key-deactivated',
    'account-created',
    'api-key-deactivated',
    'automation-settings-updated',
    'automation-settings-updated',
  ]);
  const ada = (await setup.gateway.rows('account')).find(({ subject }) => subject === 'ada')?.['id'];
  const [event] = await trailOf(setup, ada as number);
  expect(event).toMatchObject({ action: 'audit-trail-read', actor: null, other_id: null });
  expect(JSON.parse(`${event?.['details']}`)).toEqual([{ field: 'count', from: null, to: 5 }]);
  expect(actionsOf(await call('auditTrail'))[0]).toBe('audit-trail-read');
});

it('200: says which operator did it, and which server', async () => {
  const { bob } = await createPeople(setup);
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'x' });
  const operator = await operatorOf(setup);
  const { data } = await call('auditTrail', { action: 'api-key-deactivated' }, auditor);
  expect(data.nodes).toMatchObject([
    { userId: operator, actor: 'self', actorId: null, onUserId: bob.id },
    { userId: bob.id, actor: 'operator', actorId: operator, onUserId: null, reason: 'x' },
  ]);
  const own = await call('auditEvents', {}, { sub: 'bob' });
  expect(own.data.nodes[0]).toMatchObject({ actor: 'operator', actorId: null });
});

/** All lines of the trail, and its last one. */
async function stream(query = '') {
  const token = await setup.sign(auditor);
  const { status, headers, text } = await setup.gateway.fetch('GET', `/api/v1/admin/audit-events${query}`, {
    token,
    headers: { accept: 'application/x-ndjson' },
  });
  const lines = text.trimEnd().split('\n');
  const last = lines.pop() ?? '';
  return {
    status,
    type: headers.get('content-type'),
    events: lines.map((line) => JSON.parse(line)),
    last: status === 200 ? JSON.parse(last) : last,
  };
}

it('200: as lines, oldest first, in many pages; recorded once; the last line goes on', async () => {
  await createPeople(setup);
  for (let length = 0; length < 250; length += 1)
    await call('updateAutomationSettings', { sessionDuration: 60 + length }, { sub: 'bob' });
  const all = await stream();
  expect([all.status, all.type]).toEqual([200, 'application/x-ndjson']);
  expect(all.events).toHaveLength(250);
  const ids = all.events.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  const again = await stream(`?cursor=${all.last.cursor}`);
  expect(again.events.map(({ action }) => action)).toEqual(['account-created', 'audit-trail-read']);
  expect((await stream(`?cursor=${again.last.cursor}`)).events).toHaveLength(1);
});

it('as lines, whose reading cannot be recorded → there is no last line', async () => {
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'bob' });
  const run = (statement: string) => setup.gateway.database.em.getConnection().execute(statement);
  const [refuse, allow] =
    server === undefined
      ? [
          "create trigger refuse before insert on audit_event when new.action = 'audit-trail-read' begin select raise(abort, 'refused'); end",
          'drop trigger refuse',
        ]
      : [
          "alter table audit_event add constraint refuse check (action <> 'audit-trail-read') not valid",
          'alter table audit_event drop constraint refuse',
        ];
  await run(refuse as string);
  try {
    await expect(stream()).rejects.toThrow(/^An answer without an end: ({"id":[^\n]*}\n)+$/);
  } finally {
    await run(allow as string);
  }
  expect((await stream()).last).toEqual({ cursor: expect.any(String) });
});

it('as lines: 4 at a time in a process, and a fifth waits until one has ended, however it ends', async () => {
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'bob' });
  const authorization = `Bearer ${await setup.sign(auditor)}`;
  const open = (query = '') =>
    setup.gateway.gateway.answer(
      {
        method: 'GET',
        url: `/api/v1/admin/audit-events${query}`,
        headers: { host: 'keyward.test', authorization, accept: 'application/x-ndjson' },
        body: undefined,
      },
      null,
    );
  const answers = await Promise.all([open(), open(), open(), open()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await stream();
  expect([refused.status, JSON.parse(refused.last)]).toEqual([503, { detail: 'Service Unavailable' }]);
  // Pages for people are another matter.
  expect((await call('auditTrail', {}, auditor)).data.nodes).not.toEqual([]);
  const [read, ...brokenOff] = answers;
  for (let part = await read?.rest?.next(); part !== undefined; ) part = await read?.rest?.next();
  for (const answer of [read, ...brokenOff]) await answer?.rest?.end();
  // One that is refused, or whose first page fails, takes no place.
  for (let time = 0; time < 5; time += 1) {
    expect((await open('?limit=5')).status).toBe(422);
    expect((await open('?cursor=x')).status).toBe(422);
  }
  expect((await stream()).status).toBe(200);
});

describe('its rows', () => {
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
});
