import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { Db } from '../../../src/database/db.ts';
import type { Change } from '../../../src/observability/events.ts';
import { noteExpiries } from '../../../src/webhooks/sending/expiries.ts';
import { Webhooks } from '../../../src/webhooks/sending/webhooks.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { sendWebhooks, until } from '../../support/webhook-sender.ts';

const setup = setUpTwoNodes();

/** Waits until each event has reached each endpoint. */
const untilNothingWaits = () =>
  until(async () => {
    const [node] = setup.nodes;
    expect(await node.rows('webhook_event')).toEqual([]);
    expect((await node.rows('webhook_delivery')).filter(({ state }) => state === 'waiting')).toEqual([]);
  });

it('send each change once, in order for each key, whichever of them made it', async () => {
  await using receiver = await startReceiver();
  const config = { endpoints: [receiver.config()], allowedHosts: ['127.0.0.1'], isAdministered: false };
  await using stack = new AsyncDisposableStack();
  const senders = setup.nodes.map(({ database, secrets: { sealer } }) =>
    stack.use(
      new Webhooks(new Db(database.em), sealer, config, pino({ level: 'silent' }), 'test', { poll: 10 }),
    ),
  );
  const [node] = setup.nodes;
  await vi.waitFor(async () => expect(await node.rows('webhook_endpoint')).toHaveLength(1), {
    timeout: 20_000,
  });
  const token = await setup.issuer.sign();
  const renames = 15;
  const work = Array.from({ length: 8 }, async () => {
    const { body } = await node.rest('POST', '/auth/keys', { token, json: { name: 'name' } });
    for (let turn = 1; turn <= renames; turn += 1) {
      const { rest } = setup.nodes[turn % 2 === 0 ? 0 : 1];
      const json = { name: `name ${turn}` };
      expect((await rest('PATCH', `/auth/keys/${body.id}`, { token, json })).status).toBe(200);
    }
  });
  await Promise.all(work);
  await untilNothingWaits();
  const events = await node.rows('audit_event');
  const told = events.filter(({ action }) => `${action}`.startsWith('api-key-'));
  expect(told).toHaveLength(8 * (1 + renames));
  expect(new Set(receiver.all.map(({ id }) => id)).size).toBe(receiver.all.length);
  const keys = new Set(told.map(({ target }) => target));
  for (const key of keys) {
    const [created, ...updates] = receiver.all
      .filter(({ event }) => event.data.key_id === key)
      .map(({ event }) => event);
    const made = told.filter(({ target }) => target === key);
    const madeAt = made.map((row) => new Date(Number(row['created_at'])).toISOString());
    expect(created.type).toBe('api_key.created');
    // Updates that waited together came as one, so each begins where the one before it has ended.
    const times = [created, ...updates].map(({ timestamp }) => timestamp);
    expect(times).toEqual(madeAt.filter((time) => times.includes(time)));
    expect(times.at(-1)).toBe(madeAt.at(-1));
    const names = updates.map(({ data: { changes } }) => changes.map(({ from, to }: Change) => [from, to]));
    let name: unknown = 'name';
    for (const [[from, to]] of names) {
      expect(from).toBe(name);
      name = to;
    }
    expect(name).toBe(`name ${renames}`);
  }
  for (const { counts } of senders) {
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBe(0);
  }
});

it('announce the end of a key once', async () => {
  await using receiver = await startReceiver();
  const config = { endpoints: [receiver.config()], allowedHosts: ['127.0.0.1'], isAdministered: false };
  await using stack = new AsyncDisposableStack();
  for (const {
    database,
    secrets: { sealer },
  } of setup.nodes)
    stack.use(
      new Webhooks(new Db(database.em), sealer, config, pino({ level: 'silent' }), 'test', { poll: 10 }),
    );
  const [node] = setup.nodes;
  await vi.waitFor(async () => expect(await node.rows('webhook_endpoint')).toHaveLength(1), {
    timeout: 20_000,
  });
  const account = await node.createAccount('alice');
  const expiresAt = new Date(Date.now() + 60_000);
  for (let index = 0; index < 20; index += 1) await node.createApiKey(account, { expiresAt });
  const later = new Date(expiresAt.getTime() + 60_000);
  await Promise.all(setup.nodes.map(({ database }) => noteExpiries(new Db(database.em), later)));
  await vi.waitFor(async () => expect(receiver.taken()).toHaveLength(20), { timeout: 20_000 });
  await untilNothingWaits();
  expect(receiver.all).toHaveLength(20);
});

it('notice what an operator does on the other: endpoints added, paused, rotated, removed', async () => {
  await using receiver = await startReceiver();
  await using stack = new AsyncDisposableStack();
  const [, node] = setup.nodes;
  // The node that is asked sends nothing itself.
  stack.use(sendWebhooks(node));
  const token = await setup.issuer.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const admin = async (method: string, path: string, json?: object) => {
    const { status, body } = await setup.nodes[0].rest(method, `/admin/webhooks${path}`, {
      token,
      ...(json && { json }),
    });
    expect(status).toBeLessThan(300);
    return body;
  };
  let seconds = 60;
  const change = async () => {
    seconds += 1;
    const json = { session_duration: seconds };
    await setup.nodes[0].rest('PUT', '/automation/settings', { token: await setup.issuer.sign(), json });
  };
  const { id, secret } = await admin('POST', '', { url: receiver.url });
  receiver.secret = secret;
  await change();
  await until(() => expect(receiver.taken()).toHaveLength(1));
  await admin('PATCH', `/${id}`, { is_paused: true });
  await until(async () => {
    await change();
    const { waiting_count } = await admin('GET', `/${id}`);
    expect(waiting_count).toBeGreaterThan(0);
  });
  const before = receiver.taken().length;
  receiver.secret = (await admin('POST', `/${id}/rotate`, { grace_seconds: 0 })).secret;
  await admin('PATCH', `/${id}`, { is_paused: false });
  await until(() => expect(receiver.taken().length).toBeGreaterThan(before));
  expect(receiver.unverified).toBe(0);
  await admin('DELETE', `/${id}`);
  await change();
  // An event from before may still be handed out; one from after it would stay.
  await until(async () => expect(await node.rows('webhook_event')).toEqual([]));
});

it('announce a used-up quota once, however many uses both refuse at once', async () => {
  await using receiver = await startReceiver();
  await using stack = new AsyncDisposableStack();
  const [node] = setup.nodes;
  const endpoints = [receiver.config(['quota.*'])];
  for (const each of setup.nodes) stack.use(sendWebhooks(each, { endpoints }));
  await until(async () => expect(await node.rows('webhook_endpoint')).toHaveLength(1));
  const account = await node.createAccount('alice');
  const keys = await Promise.all(Array.from({ length: 10 }, () => node.createVerifiableKey(account)));
  for (const { id } of keys) await node.createQuota(id, { units: 1 });
  const token = await setup.issuer.sign({ sub: 'server', scope: 'keys.verify' });
  const uses = keys.flatMap(({ secret: key }) =>
    Array.from({ length: 6 }, async (_, index) => {
      const { rest } = setup.nodes[index % 2 ? 1 : 0];
      return (await rest('POST', '/keys/verify', { token, json: { key } })).body.valid;
    }),
  );
  expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(10);
  await until(() => expect(receiver.taken()).toHaveLength(10));
  await untilNothingWaits();
  expect(new Set(receiver.all.map(({ event }) => event.data.key_id)).size).toBe(10);
  expect(receiver.all).toHaveLength(10);
});
