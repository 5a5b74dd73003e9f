import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookConfig } from '../../src/config/config.ts';
import { organization } from '../../src/config/issuers.ts';
import { webhookEvents, webhookTypes } from '../../src/config/values/webhook-events.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { listen, stop } from '../../src/http/server.ts';
import { accountQuotas } from '../../src/quotas/account-quotas.ts';
import { keyQuotas } from '../../src/quotas/key-quotas.ts';
import { QuotaLeases } from '../../src/quotas/quota-leases.ts';
import { noteExpiries } from '../../src/webhooks/sending/expiries.ts';
import { Line } from '../../src/webhooks/sending/line.ts';
import { tidy } from '../../src/webhooks/sending/stored-deliveries.ts';
import { agreeOnEndpoints } from '../../src/webhooks/sending/stored-endpoints.ts';
import type { Webhooks } from '../../src/webhooks/sending/webhooks.ts';
import { refuseRows } from '../support/database.ts';
import { makeEveryChange } from '../support/every-change.ts';
import { recordStatements } from '../support/record-statements.ts';
import { actingFor, forOrganization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createSecret, failures, startReceiver, take } from '../support/webhook-receiver.ts';
import { setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway({ organization: organization.parse({ claim: 'org_id', manage: 'everyone' }) });

const { 'an error': fail = take, 'no answer': hang = take } = failures;
const allowedHosts = ['127.0.0.1'];

const send = setUpSenders(setup);
const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
});

const rows = (table: string) => setup.gateway.rows(table);
/** Waits until each event has reached each endpoint. */
const untilNothingWaits = () =>
  until(async () => {
    expect(await rows('webhook_event')).toEqual([]);
    expect((await rows('webhook_delivery')).filter(({ state }) => state === 'waiting')).toEqual([]);
  });
const db = () => new Db(setup.gateway.database.em);

/** Sends webhooks to some endpoints, which are known when this resolves. */
async function start(
  endpoints: readonly WebhookConfig[],
  { hosts = allowedHosts, ...other }: Omit<NonNullable<Parameters<typeof send>[0]>, 'endpoints'> = {},
): Promise<Webhooks> {
  const webhooks = send({ endpoints, hosts, lines, ...other });
  await until(async () => {
    const there = (await rows('webhook_endpoint')).filter(({ removed_at }) => removed_at === null);
    expect(there.map(({ url }) => url)).toEqual(endpoints.map(({ url }) => url));
  });
  return webhooks;
}

const call = async (method: string, path: string, json?: object, sub = 'alice') =>
  setup.gateway.rest(method, path, { token: await setup.sign({ sub }), ...(json && { json }) });

const createKey = async (name: string): Promise<number> =>
  (await call('POST', '/auth/keys', { name })).body.id;

const rename = async (key: number, name: string): Promise<void> => {
  expect((await call('PATCH', `/auth/keys/${key}`, { name })).status).toBe(200);
};

describe('a change', () => {
  it('is sent once, in the format of Standard Webhooks, and then leaves the queue', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    const id = await createKey('Laptop');
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    await untilNothingWaits();
    const [{ headers, body, event } = { headers: {}, body: '', event: {} }] = receiver.taken();
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(body)}`,
      'user-agent': 'Keyward/1.2.3',
      'webhook-id': expect.stringMatching(/^msg_[\da-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    const [key] = await rows('api_key');
    const [account] = await rows('account');
    expect(event).toEqual({
      type: 'api_key.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        user_id: account?.['id'],
        issuer: setup.issuer.config.issuer,
        subject: 'alice',
        owner_kind: 'person',
        organization_id: null,
        by: 'owner',
        member_id: null,
        reason: null,
        changes: expect.any(Array),
        key_id: id,
        key_prefix: key?.['key_prefix'],
        name: 'Laptop',
        expires_at: null,
      },
    });
    expect(await rows('webhook_event')).toEqual([]);
    expect(await rows('webhook_delivery')).toMatchObject([
      { state: 'delivered', attempts: 1, last_outcome: 'status 204' },
    ]);
  });

  it('of a member of an organisation names both, once', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    const token = await setup.sign({ sub: 'alice', org_id: 'acme' });
    await forOrganization(setup.gateway, 'acme').rest('POST', '/auth/keys', {
      token,
      json: { name: 'Shop' },
    });
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    await untilNothingWaits();
    const accounts = await rows('account');
    const idOf = (wanted: string) => accounts.find(({ kind }) => kind === wanted)?.['id'];
    expect(receiver.taken().map(({ event }) => event)).toMatchObject([
      {
        data: {
          user_id: idOf('organization'),
          subject: 'acme',
          owner_kind: 'organization',
          organization_id: 'acme',
          by: 'member',
          member_id: idOf('person'),
        },
      },
    ]);
  });

  it('is sent with its type and without a secret', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    const secrets = await makeEveryChange(call);
    const types = [
      'api_key.created',
      'api_key.updated',
      'api_key.updated',
      'api_key.rotated',
      'api_key.deactivated',
      'api_key.paused',
      'api_key.resumed',
      'private_key.registered',
      'private_key.removed',
      'automation_settings.updated',
    ];
    await until(() => expect(receiver.types().toSorted()).toEqual([...types, 'api_key.created'].toSorted()));
    const bodies = receiver.taken().map(({ body }) => body);
    for (const secret of secrets) expect(bodies.join()).not.toContain(secret);
    const ofFirst = receiver.taken().filter(({ event }) => event.data.key_id === 1);
    expect(ofFirst.map(({ event }) => event.type)).toEqual([
      'api_key.created',
      'api_key.updated',
      'api_key.rotated',
      'api_key.paused',
      'api_key.resumed',
      'api_key.deactivated',
    ]);
  });

  it('is sent with the configured headers, whose values are not stored', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['*'], { Authorization: 'Bearer c4n4ry' })]);
    await createKey('Laptop');
    await until(() => expect(receiver.taken()[0]?.headers.authorization).toBe('Bearer c4n4ry'));
    expect(await rows('webhook_endpoint')).toMatchObject([{ header_names: '["Authorization"]' }]);
    expect(JSON.stringify([await setup.stored(), lines])).not.toContain('c4n4ry');
  });

  it('that fails → no event', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    const key = await createKey('Laptop');
    expect((await call('POST', `/auth/keys/${key}/rotate`, { grace_seconds: -1 })).status).toBe(422);
    expect((await call('DELETE', `/auth/keys/${key}`)).status).toBe(200);
    // It fails within its transaction.
    expect((await call('POST', `/auth/keys/${key}/rotate`, {})).status).toBe(409);
    expect((await call('DELETE', `/auth/keys/${key}`)).status).toBe(200);
    await call('PUT', '/automation/settings', { is_enabled: true });
    await until(() => expect(receiver.types()).toContain('automation_settings.updated'));
    await untilNothingWaits();
    expect(receiver.types().toSorted()).toEqual([
      'api_key.created',
      'api_key.deactivated',
      'automation_settings.updated',
    ]);
  });

  it('without an endpoint, or for one no longer configured → no event is stored', async () => {
    await createKey('Laptop');
    expect(await rows('webhook_event')).toEqual([]);
    await using receiver = await startReceiver();
    await (await start([receiver.config()]))[Symbol.asyncDispose]();
    await start([]);
    await until(async () => {
      const [endpoint] = await rows('webhook_endpoint');
      expect(endpoint?.['removed_at']).not.toBeNull();
    });
    await createKey('Desk');
    expect(await rows('webhook_event')).toEqual([]);
    await (await start([receiver.config()]))[Symbol.asyncDispose]();
    await createKey('Phone');
    expect(await rows('webhook_event')).toMatchObject([{ action: 'api-key-created' }]);
  });

  it('goes only to endpoints that subscribe to it', async () => {
    await using all = await startReceiver();
    await using keys = await startReceiver();
    await using one = await startReceiver();
    await start([all.config(), keys.config(['api_key.*']), one.config(['automation_settings.updated'])]);
    await createKey('Laptop');
    await call('PUT', '/automation/settings', { is_enabled: true });
    await until(() =>
      expect(all.types().toSorted()).toEqual(['api_key.created', 'automation_settings.updated']),
    );
    await until(() => expect(keys.types()).toEqual(['api_key.created']));
    await until(() => expect(one.types()).toEqual(['automation_settings.updated']));
    expect(keys.taken()[0]?.id).toBe(all.taken().find(({ event }) => event.type === 'api_key.created')?.id);
  });

  it('is signed with both secrets while one replaces the other', async () => {
    await using receiver = await startReceiver();
    const other = createSecret();
    await start([{ ...receiver.config(), secrets: [other, receiver.secret] }]);
    await createKey('Laptop');
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    const { headers = {}, body = '' } = receiver.taken()[0] ?? {};
    expect(`${headers['webhook-signature']}`.split(' ')).toHaveLength(2);
    expect(new Webhook(other).verify(body, headers as Record<string, string>)).toBeDefined();
    expect(() => new Webhook(createSecret()).verify(body, headers as Record<string, string>)).toThrow();
  });
});

describe("an operator's action", () => {
  it('that a server of the provider makes for an account is announced as its', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    const id = await setup.gateway.createAccount('alice');
    const token = await setup.sign({ sub: 'dashboard', scope: 'accounts.act' });
    const forAlice = actingFor(setup.gateway, id);
    const { body } = await forAlice.rest('POST', '/auth/keys', { token, json: { name: 'Website' } });
    await forAlice.rest('DELETE', `/auth/keys/${body.id}`, { token });
    await until(() => expect(receiver.types()).toEqual(['api_key.created', 'api_key.deactivated']));
    for (const { event } of receiver.taken())
      expect(event.data).toMatchObject({ user_id: id, subject: 'alice', by: 'provider', key_id: body.id });
    expect(JSON.stringify(receiver.taken())).not.toContain('dashboard');
  });

  it('is announced once, for its account; after an erasure, only the erasure stays', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    await createKey('Laptop');
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    const id = receiver.taken()[0]?.event.data.user_id;
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const act = async (method: string, path: string, json?: object) => {
      const { status } = await setup.gateway.rest(method, `/admin/accounts/${id}${path}`, {
        token,
        ...(json && { json }),
      });
      expect(status).toBe(200);
    };
    await act('POST', '/block', { reason: 'published keys' });
    await act('DELETE', '');
    await until(() => expect(receiver.types()).toContain('account.erased'));
    await untilNothingWaits();
    const told = receiver.taken().map(({ event }) => event);
    // That it was blocked may have been on its way, or not.
    const blocked = told.filter(({ type }) => type === 'account.blocked');
    for (const { data } of blocked)
      expect(data).toMatchObject({ user_id: id, by: 'operator', reason: 'published keys' });
    expect(told.filter(({ type }) => type === 'account.erased')).toMatchObject([
      { data: { user_id: id, issuer: null, subject: null, by: 'operator' } },
    ]);
    expect(told.every(({ data }) => data.user_id === id)).toBe(true);
    // The rest is removed in steps.
    await until(async () => {
      const kept = (await rows('webhook_delivery')).filter(({ account_id }) => account_id === id);
      expect(kept.map(({ type }) => type)).toEqual(['account.erased']);
      expect(JSON.stringify(kept)).not.toContain('alice');
    });
  });
});

describe('the erasure of an account', () => {
  it('does not wait for events that will never be sent', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    await createKey('Laptop');
    await untilNothingWaits();
    const id = receiver.taken()[0]?.event.data.user_id;
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const pause = (paused_at: Date | null) =>
      db().kysely.updateTable('webhook_endpoint').set({ paused_at }).execute();
    const waitingTypes = async () =>
      (await rows('webhook_delivery')).filter(({ state }) => state === 'waiting').map(({ type }) => type);
    await pause(new Date());
    const block = { token, json: { reason: 'because' } };
    await setup.gateway.rest('POST', `/admin/accounts/${id}/block`, block);
    await until(async () => expect(await waitingTypes()).toEqual(['account.blocked']));
    expect((await setup.gateway.rest('DELETE', `/admin/accounts/${id}`, { token })).status).toBe(200);
    await until(async () => expect(await waitingTypes()).toContain('account.erased'));
    await pause(null);
    await until(() => expect(receiver.types()).toEqual(['api_key.created', 'account.erased']));
  });
});

describe('OpenAPI', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document
  const document: any = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  const ajv = formats.default(new Ajv2020({ strict: false })).addSchema(document, 'openapi.json');

  it('describes the payload of each type, with an example', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    await makeEveryChange(call);
    const [account] = await rows('account');
    const event = { account_id: Number(account?.['id']) as AccountId, created_at: new Date() };
    const byOperator = { ...event, actor: 'operator', reason: 'because', request: 'request' };
    const { kysely } = db();
    for (const action of [
      'account-blocked',
      'account-unblocked',
      'account-entitlement-changed',
      'account-quota-exhausted',
      'account-erased',
    ])
      await kysely
        .insertInto('audit_event')
        .values({ ...byOperator, action })
        .execute();
    await kysely
      .insertInto('audit_event')
      .values({ ...event, actor: 'scanner', action: 'api-key-leaked', target: 1, request: 'request' })
      .execute();
    await kysely
      .insertInto('audit_event')
      .values({ ...event, action: 'api-key-secret-ended', target: 1, request: 'request' })
      .execute();
    const ofTime = ['api-key-expiring', 'api-key-expired', 'api-key-quota-exhausted'];
    for (const action of ofTime)
      await kysely
        .insertInto('webhook_event')
        .values({ ...event, action, target: 1 })
        .execute();
    const types = Object.keys(document.webhooks);
    expect(types).toEqual(webhookTypes);
    await until(() => expect(new Set(receiver.types())).toEqual(new Set(types)));
    for (const { event } of receiver.taken()) {
      const path = `#/webhooks/${event.type}/post/requestBody/content/application~1json`;
      const isValid = ajv.getSchema(`openapi.json${path}/schema`);
      const { example } = document.webhooks[event.type].post.requestBody.content['application/json'];
      for (const message of [event, example]) {
        isValid?.(message);
        expect([message.type, isValid?.errors]).toEqual([message.type, null]);
      }
      expect(Object.keys(event)).toEqual(Object.keys(example));
      expect(Object.keys(event.data)).toEqual(Object.keys(example.data));
    }
  });

  it('has each audit event except account-created, those about reading and those about webhooks', () => {
    const source = readFileSync('src/observability/events.ts', 'utf8');
    const actions = [...source.matchAll(/^ {2}'([a-z-]+)': /gm)].map(([, name]) => name);
    expect(actions.length).toBeGreaterThan(8);
    const untold = actions.filter((name) => !Object.hasOwn(webhookEvents, `${name}`));
    expect(untold.filter((name) => !name?.startsWith('webhook-'))).toEqual([
      'account-created',
      'account-trail-read',
      'audit-trail-read',
    ]);
  });
});

describe('a receiver that fails', () => {
  it.each(Object.entries(failures))(
    'by %s gets the same event again, and all events in order',
    async (_name, fail) => {
      const failed: string[] = [];
      await using receiver = await startReceiver((response, received) => {
        const isFirst = received.event.type === 'api_key.updated' && failed.length === 0;
        if (isFirst) failed.push(received.id);
        (isFirst ? fail : take)(response, received);
      });
      await start([receiver.config()], { timeout: 3000 });
      const key = await createKey('one');
      await rename(key, 'a');
      expect((await call('POST', `/auth/keys/${key}/rotate`, {})).status).toBe(200);
      await createKey('two');
      await until(() => expect(receiver.taken()).toHaveLength(4));
      await untilNothingWaits();
      const ofKey = receiver.all.filter(({ event }) => event.data.key_id === key);
      const [created, update, again, last] = ofKey;
      expect(ofKey.map(({ event }) => event.type)).toEqual([
        'api_key.created',
        'api_key.updated',
        'api_key.updated',
        'api_key.rotated',
      ]);
      expect([update?.id, again?.id]).toEqual([failed[0], failed[0]]);
      expect(again?.body).toBe(update?.body);
      expect(new Set([created?.id, update?.id, last?.id]).size).toBe(3);
      expect(receiver.all.every(({ path }) => path === '/hooks')).toBe(true);
      const attempts = (await rows('webhook_delivery')).map((row) => row['attempts']);
      expect(attempts.toSorted()).toEqual([1, 1, 1, 2]);
      expect(lines.join()).toContain('a webhook endpoint did not accept an event; will retry');
      expect(lines.join()).toContain('a webhook endpoint accepts events again');
      // Its path may hold what only its receiver should know.
      expect(lines.join()).not.toContain('/hooks');
    },
  );

  it('is shown as failing since its first failure, until it accepts an event, also after a restart', async () => {
    await using receiver = await startReceiver(fail);
    const first = await start([receiver.config()]);
    const endpoint = async () => (await rows('webhook_endpoint'))[0] ?? {};
    const attempts = (count: number) =>
      until(() => expect(receiver.all.length).toBeGreaterThanOrEqual(count));
    expect((await endpoint())['failing_since']).toBeNull();
    await createKey('one');
    await until(async () => expect((await endpoint())['failing_since']).not.toBeNull());
    const { failing_since: since } = await endpoint();
    await attempts(3);
    await first[Symbol.asyncDispose]();
    await start([receiver.config()]);
    await attempts(receiver.all.length + 2);
    expect((await endpoint())['failing_since']).toEqual(since);
    receiver.manner = take;
    await until(async () => expect((await endpoint())['failing_since']).toBeNull());
    await untilNothingWaits();
    receiver.manner = fail;
    await createKey('two');
    await until(async () => expect((await endpoint())['failing_since']).not.toBeNull());
    expect((await endpoint())['failing_since']).not.toEqual(since);
  });

  it('does not count as failing if it was removed, and is configured again', async () => {
    await using receiver = await startReceiver(fail);
    const first = await start([receiver.config()]);
    await createKey('one');
    const endpoint = async () => (await rows('webhook_endpoint'))[0] ?? {};
    await until(async () => expect((await endpoint())['failing_since']).not.toBeNull());
    await first[Symbol.asyncDispose]();
    // What waited is no longer sent, so nothing fails again.
    await db().kysely.deleteFrom('webhook_delivery').execute();
    await agreeOnEndpoints(db(), []);
    expect((await endpoint())['removed_at']).not.toBeNull();
    await agreeOnEndpoints(db(), [receiver.config()]);
    expect(await endpoint()).toMatchObject({ removed_at: null, failing_since: null });
  });

  it('does not delay other receivers', async () => {
    let open = 0;
    let most = 0;
    await using hanging = await startReceiver((response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => {
        open -= 1;
      });
    });
    await using receiver = await startReceiver();
    await start([hanging.config(), receiver.config()], { timeout: 60_000 });
    for (let index = 0; index < 10; index += 1) await createKey(`key ${index}`);
    await until(() => expect(receiver.taken()).toHaveLength(10));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(8);
    await until(async () => {
      const waiting = (await rows('webhook_delivery')).filter(({ state }) => state === 'waiting');
      expect(waiting).toHaveLength(10);
    });
  });

  it('for one key still gets the events of another', async () => {
    await using receiver = await startReceiver((response, received) =>
      (received.event.data.key_id === 1 ? fail : take)(response, received),
    );
    await start([receiver.config()]);
    const bad = await createKey('bad');
    await rename(bad, 'worse');
    const good = await createKey('good');
    await rename(good, 'better');
    await until(() => expect(receiver.types()).toEqual(['api_key.created', 'api_key.updated']));
    expect(receiver.taken().every(({ event }) => event.data.key_id === good)).toBe(true);
  });

  it.each([
    ['without end', { isEndless: true, timeout: 15_000 }],
    ['that hangs', { isEndless: false, timeout: 3000 }],
  ])(
    'by an answer %s after status 200 → delivered, and little of the answer is read',
    async (_what, manner) => {
      let sent = 0;
      await using receiver = await startReceiver((response, received) => {
        received.isTaken = true;
        response.writeHead(200);
        const chunk = Buffer.alloc(manner.isEndless ? 16 * 1024 : 100);
        const more = () => {
          while (!response.destroyed && response.write(chunk) && manner.isEndless) sent += chunk.length;
        };
        if (manner.isEndless) response.on('drain', more);
        more();
      });
      await start([receiver.config()], manner);
      await createKey('Laptop');
      await until(async () => {
        expect(await rows('webhook_delivery')).toMatchObject([
          { state: 'delivered', attempts: 1, last_outcome: 'status 200' },
        ]);
      });
      // What its own machine keeps for it is a few megabytes.
      expect(sent).toBeLessThan(20 * 1024 * 1024);
      expect(receiver.all).toHaveLength(1);
    },
  );

  it('for three days → the delivery is abandoned, shown, and deleted a month later', async () => {
    await using receiver = await startReceiver(fail);
    await using webhooks = await start([receiver.config()]);
    await createKey('Laptop');
    await until(async () => {
      expect(await rows('webhook_delivery')).toMatchObject([
        { state: 'waiting', last_outcome: 'status 500' },
      ]);
    });
    await webhooks[Symbol.asyncDispose]();
    const day = 24 * 60 * 60_000;
    const tidyIn = (days: number) =>
      tidy(db(), new Line(() => new Date()), new Date(Date.now() + days * day));
    expect(await tidyIn(2.9)).toBe(0);
    expect(await tidyIn(3.1)).toBe(1);
    expect(await rows('webhook_delivery')).toMatchObject([{ state: 'parked', last_outcome: 'status 500' }]);
    await tidyIn(32);
    expect(await rows('webhook_delivery')).toHaveLength(1);
    await tidyIn(34);
    expect(await rows('webhook_delivery')).toEqual([]);
  });
});

describe('a receiver that answers 410 (Gone)', () => {
  const gone: typeof take = (response) => void response.writeHead(410).end();
  const record = async () =>
    (
      await setup.gateway.rest('GET', '/admin/webhooks/1', {
        token: await setup.sign({ sub: 'olivia', scope: 'keyward.admin' }),
      })
    ).body;
  const resume = async () =>
    setup.gateway.rest('PATCH', '/admin/webhooks/1', {
      token: await setup.sign({ sub: 'olivia', scope: 'keyward.admin' }),
      json: { is_paused: false },
    });

  it('is paused, and operators see it; events wait until it continues', async () => {
    await using receiver = await startReceiver(gone);
    await start([receiver.config()]);
    const key = await createKey('one');
    await until(async () => expect((await record()).gone_at).not.toBeNull());
    await rename(key, 'two');
    await until(async () => expect((await record()).waiting_count).toBe(2));
    const { gone_at, paused_at, last_outcome } = await record();
    expect([paused_at, last_outcome]).toEqual([gone_at, 'status 410']);
    expect(receiver.all).toHaveLength(1);
    const [line, ...others] = lines.filter((each) => each.includes('answered 410 (Gone)'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 50,
      endpoint: 1,
      host: new URL(receiver.url).host,
    });
    expect(others).toEqual([]);
    receiver.manner = take;
    expect((await resume()).body).toMatchObject({ paused_at: null, gone_at: null });
    await until(() => expect(receiver.types()).toEqual(['api_key.created', 'api_key.updated']));
  });

  it('is tried again after a start, if it is configured', async () => {
    await using receiver = await startReceiver(gone);
    const first = await start([receiver.config()]);
    await createKey('one');
    await until(async () => expect((await record()).gone_at).not.toBeNull());
    await first[Symbol.asyncDispose]();
    receiver.manner = take;
    await start([receiver.config()]);
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    expect(await record()).toMatchObject({ paused_at: null, gone_at: null });
  });
});

describe('a receiver that asks to wait', () => {
  it.each([429, 503])('%d with Retry-After → nothing is sent to it before that time', async (status) => {
    const asked: number[] = [];
    await using receiver = await startReceiver((response, received) => {
      asked.push(performance.now());
      if (asked.length > 1) take(response, received);
      else response.writeHead(status, { 'retry-after': '1' }).end();
    });
    await using other = await startReceiver();
    await start([receiver.config(), other.config()], { longestRetry: 10_000 });
    await createKey('one');
    await until(() => expect(asked).toHaveLength(1));
    await createKey('two');
    await until(() => expect(other.types()).toHaveLength(2));
    await until(() => expect(receiver.types()).toHaveLength(2));
    // The wait is the receiver's word, so it is compared with that: no attempt came before.
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it('for longer than half an hour → is tried again after half an hour', async () => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(429, { 'retry-after': '86400' }).end();
    });
    await start([receiver.config()], { firstRetry: 1000, longestRetry: 30 * 60_000 });
    await createKey('one');
    await until(async () =>
      expect((await rows('webhook_delivery'))[0]).toMatchObject({ last_outcome: 'status 429' }),
    );
    const [delivery] = await rows('webhook_delivery');
    expect(Number(delivery?.['due_at']) - Number(delivery?.['last_attempt_at'])).toBe(30 * 60_000);
  });
});

describe('an endpoint at an address of this machine', () => {
  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'is refused if it is not allowed: %s',
    async (host) => {
      await using receiver = await startReceiver();
      const url = receiver.url.replace('127.0.0.1', host);
      await start([{ ...receiver.config(), url: new URL(url).href }], { hosts: ['other.internal'] });
      await createKey('Laptop');
      await until(async () => {
        expect(await rows('webhook_delivery')).toMatchObject([
          { state: 'waiting', last_outcome: 'address refused' },
        ]);
      });
      expect(receiver.all).toEqual([]);
    },
  );

  it('its name is allowed → events are sent', async () => {
    await using receiver = await startReceiver();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    await start([{ ...receiver.config(), url }], { hosts: ['localhost'] });
    await createKey('Laptop');
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
  });

  it('is not reached through a proxy that the environment names', async () => {
    let asked = 0;
    const proxy = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    const port = await listen(proxy, 0, '127.0.0.1');
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${port}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    await using receiver = await startReceiver();
    await start([receiver.config()]);
    await createKey('Laptop');
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    expect(asked).toBe(0);
    await stop(proxy);
  });
});

describe('the end of an API key', () => {
  const day = 24 * 60 * 60_000;

  it('is announced 14 and 3 days before, and when it comes, once each', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['api_key.expiring', 'api_key.expired'])]);
    const from = Date.now();
    const account = await setup.gateway.createAccount('alice');
    const expiresAt = new Date(from + 20 * day);
    const key = await setup.gateway.createApiKey(account, { expiresAt });
    await setup.gateway.createApiKey(account, { expiresAt, isActive: false });
    await setup.gateway.createApiKey(account, { expiresAt: null });
    for (let hour = 0; hour < 21 * 24; hour += 6)
      await noteExpiries(db(), new Date(from + hour * 60 * 60_000));
    await until(() => expect(receiver.taken()).toHaveLength(3));
    await untilNothingWaits();
    const told = receiver.taken().map(({ event }) => event);
    expect(told.map(({ type }) => type)).toEqual(['api_key.expiring', 'api_key.expiring', 'api_key.expired']);
    const daysLeft = told.map(({ timestamp }) => (expiresAt.getTime() - Date.parse(timestamp)) / day);
    expect(daysLeft.map(Math.round)).toEqual([14, 3, -0]);
    for (const { data } of told)
      expect(data).toMatchObject({ key_id: key, by: 'time', expires_at: expiresAt.toISOString() });
  });

  it('is announced again if it moves, and not if the key was deactivated before', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['api_key.expiring', 'api_key.expired'])]);
    const from = Date.now();
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(account, { expiresAt: new Date(from + 2 * day) });
    const change = (values: { readonly expires_at?: Date; readonly is_active?: boolean }) =>
      db().kysely.updateTable('api_key').set(values).execute();
    await noteExpiries(db(), new Date(from + day));
    await change({ expires_at: new Date(from + 5 * day) });
    await noteExpiries(db(), new Date(from + 2.5 * day));
    await until(() => expect(receiver.types()).toEqual(['api_key.expiring']));
    await change({ is_active: false });
    await noteExpiries(db(), new Date(from + 6 * day));
    expect(await rows('webhook_event')).toEqual([]);
  });
});

describe('without an endpoint', () => {
  /** How often the endpoints are read in a time in which nothing happens. */
  const readsIn = async (milliseconds: number, isAdministered: boolean) => {
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      await using _sending = send({ isAdministered });
      await delay(milliseconds);
    });
    return sql.filter((text) => /from [`"]webhook_endpoint/.test(text)).length;
  };

  it('the database is not polled, unless operators can add an endpoint', async () => {
    let time = 100;
    await until(async () => {
      time *= 2;
      // At its start, it may read several times: as long as that takes, the time to look again may come.
      const atStart = await readsIn(time, false);
      expect(await readsIn(time, true)).toBeGreaterThan(4 * atStart);
    });
  });
});

describe('a quota that all keys of an account share', () => {
  const type = 'account.quota_exhausted';

  it('is announced once in each period, even if several keys and nodes refuse a use', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['account.quota_exhausted'])]);
    const account = await setup.gateway.createAccount('alice');
    const overrides = JSON.stringify({ quota: { limit: 2, refill: 'monthly' } });
    await db().kysely.updateTable('account').set({ overrides }).where('id', '=', account).execute();
    const keys = [
      await setup.gateway.createVerifiableKey(account),
      await setup.gateway.createVerifiableKey(account),
    ];
    const use = async (turn: number, cost = 1) => {
      const json = { key: keys[turn % 2]?.secret, cost };
      const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
      return (await setup.gateway.rest('POST', '/keys/verify', { token, json })).body.reason;
    };
    for (let period = 1; period <= 3; period += 1) {
      // More than a period has says nothing about this one.
      expect(await use(0, 3)).toBe('account_quota_exceeded');
      expect([await use(0), await use(1)]).toEqual([null, null]);
      await untilNothingWaits();
      expect(receiver.types()).toHaveLength(period - 1);
      const refused = await Promise.all([use(0), use(1), use(0)]);
      expect(refused).toEqual(Array(3).fill('account_quota_exceeded'));
      const quota = { units: 2, refill: 'monthly', taken: 2, generation: period, over: false } as const;
      await using other = new QuotaLeases(db(), accountQuotas, () => {});
      const asked = { ownerId: account, quota, askedAt: performance.now(), now: new Date(), cost: 1 };
      expect(await other.spend(db(), asked)).toMatchObject({ isGranted: false });
      await until(() => expect(receiver.types()).toHaveLength(period));
      await db()
        .kysely.updateTable('account_quota')
        .set({ refills_at: new Date(0) })
        .execute();
    }
    await untilNothingWaits();
    expect(receiver.types()).toEqual([type, type, type]);
    expect(receiver.taken()[0]?.event.data).toMatchObject({ user_id: account, subject: 'alice', by: 'key' });
    expect(receiver.taken()[0]?.event.data).not.toHaveProperty('key_id');
  });
});

describe('a quota that runs out', () => {
  const type = 'quota.exhausted';

  /** A key with a quota, and what comes of using it. */
  const createLimited = async (units: number) => {
    const account = await setup.gateway.createAccount('alice');
    const { id, secret } = await setup.gateway.createVerifiableKey(account);
    await setup.gateway.createQuota(id, { units });
    const use = async (cost = 1) => {
      const json = { key: secret, cost };
      const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
      return (await setup.gateway.rest('POST', '/keys/verify', { token, json })).body.reason;
    };
    return { id, use };
  };
  const beginAnew = () =>
    db()
      .kysely.updateTable('api_key_quota')
      .set(({ eb }) => ({ taken: 0, generation: eb('generation', '+', 1) }))
      .execute();

  it('is announced when a use is refused, once in each period, without a statement after that', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['quota.*'])]);
    const { id, use } = await createLimited(2);
    for (let period = 1; period <= 3; period += 1) {
      expect([await use(), await use()]).toEqual([null, null]);
      expect(receiver.types()).toHaveLength(period - 1);
      expect(await Promise.all([use(), use(), use()])).toEqual(Array(3).fill('quota_exceeded'));
      await until(() => expect(receiver.types()).toHaveLength(period));
      const { sql } = await recordStatements(setup.gateway.database, async () => {
        expect(await use()).toBe('quota_exceeded');
      });
      expect(sql.filter((text) => text.startsWith('update "api_key_quota"'))).toEqual([]);
      await beginAnew();
    }
    await untilNothingWaits();
    expect(receiver.types()).toEqual([type, type, type]);
    expect(receiver.taken()[0]?.event.data).toMatchObject({
      key_id: id,
      subject: 'alice',
      by: 'key',
      name: 'Laptop',
    });
  });

  it('is announced once, by any node, also by one started later', async () => {
    await using receiver = await startReceiver();
    await start([receiver.config(['quota.*'])]);
    const { id } = await createLimited(0);
    for (let turn = 0; turn < 3; turn += 1) {
      await using node = new QuotaLeases(db(), keyQuotas, () => {});
      const quota = { units: 0, refill: 'never', taken: 0, generation: 7, over: false } as const;
      const asked = { ownerId: id, quota, askedAt: performance.now(), now: new Date(), cost: 1 };
      expect(await node.spend(db(), asked)).toMatchObject({ isGranted: false });
    }
    await until(() => expect(receiver.types()).toEqual([type]));
    await untilNothingWaits();
    expect(await rows('api_key_quota')).toMatchObject([{ exhausted_generation: 7 }]);
    expect(receiver.all).toHaveLength(1);
  });

  it('without an endpoint → nothing is stored', async () => {
    const { use } = await createLimited(0);
    expect(await use()).toBe('quota_exceeded');
    await setup.gateway.keyQuotas[Symbol.asyncDispose]();
    expect(await rows('webhook_event')).toEqual([]);
    expect(await rows('api_key_quota')).toMatchObject([{ exhausted_generation: null }]);
  });

  it('that cannot be announced → verification still answers, and it is announced later', async () => {
    await using receiver = await startReceiver();
    await (await start([receiver.config(['quota.*'])]))[Symbol.asyncDispose]();
    const { id, use } = await createLimited(0);
    const failures: unknown[] = [];
    const quota = { units: 0, refill: 'never', taken: 0, generation: 7, over: false } as const;
    const refuse = async () => {
      await using node = new QuotaLeases(db(), keyQuotas, (error) => failures.push(error));
      const asked = { ownerId: id, quota, askedAt: performance.now(), now: new Date(), cost: 1 };
      expect(await node.spend(db(), asked)).toMatchObject({ isGranted: false });
      expect(await node.spend(db(), asked)).toMatchObject({ isGranted: false });
    };
    {
      await using _refusing = await refuseRows(setup.gateway.database, 'webhook_event');
      expect(await use()).toBe('quota_exceeded');
      await refuse();
    }
    expect(failures).toHaveLength(1);
    expect(await rows('api_key_quota')).toMatchObject([{ exhausted_generation: null }]);
    await refuse();
    await start([receiver.config(['quota.*'])]);
    await until(() => expect(receiver.types()).toEqual([type]));
  });
});

describe('a stop', () => {
  it.each(Object.entries(failures))('ends in time if a receiver answers with %s', async (_name, fail) => {
    await using receiver = await startReceiver(fail);
    // Longer than a test may take: a stop that waited for the receiver would fail it.
    const webhooks = await start([receiver.config()], { timeout: 600_000 });
    await createKey('Laptop');
    await until(() => expect(receiver.all.length).toBeGreaterThan(0));
    await webhooks[Symbol.asyncDispose]();
    const before = receiver.all.length;
    receiver.manner = take;
    await start([receiver.config()]);
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
    // The one before it sends nothing any more.
    expect(receiver.all).toHaveLength(before + 1);
  });

  it('does not wait for receivers; deliveries on their way are sent again', async () => {
    await using receiver = await startReceiver(hang);
    // Longer than a test may take: a stop that waited for the receiver would fail it.
    const webhooks = await start([receiver.config()], { timeout: 600_000 });
    await createKey('Laptop');
    await until(() => expect(receiver.all).toHaveLength(1));
    await webhooks[Symbol.asyncDispose]();
    expect(await rows('webhook_delivery')).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    receiver.manner = take;
    await start([receiver.config()]);
    await until(() => expect(receiver.types()).toEqual(['api_key.created']));
  });
});
