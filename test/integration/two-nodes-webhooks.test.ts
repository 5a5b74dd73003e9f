import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { noteExpiries } from '../../src/webhooks/outbox.ts';
import { Webhooks } from '../../src/webhooks/webhooks.ts';
import { setUpTwoNodes } from '../support/two-nodes.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const setup = setUpTwoNodes();

it('send each event once, in order for each key, whichever of them has made the change', async () => {
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
  await vi.waitFor(
    async () => {
      expect(await node.rows('webhook_event')).toEqual([]);
      expect(await node.rows('webhook_lane')).toEqual([]);
    },
    { timeout: 25_000, interval: 50 },
  );
  const events = await node.rows('audit_event');
  const told = events.filter(({ action }) => `${action}`.startsWith('api-key-'));
  expect(told).toHaveLength(8 * (1 + renames));
  expect(receiver.all).toHaveLength(told.length);
  expect(new Set(receiver.all.map(({ id }) => id)).size).toBe(told.length);
  const keys = new Set(told.map(({ target }) => target));
  for (const key of keys) {
    const times = receiver.all
      .filter(({ event }) => event.data.key_id === key)
      .map(({ event }) => event.timestamp);
    const made = told.filter(({ target }) => target === key);
    expect(times).toEqual(made.map((row) => new Date(Number(row['created_at'])).toISOString()));
  }
  for (const { counts } of senders) {
    expect(counts.delivered).toBeGreaterThan(0);
    expect(counts.failed).toBe(0);
  }
});

it('tell of the end of a key once', async () => {
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
  await vi.waitFor(async () => expect(await node.rows('webhook_lane')).toEqual([]), { timeout: 20_000 });
  expect(receiver.all).toHaveLength(20);
});
