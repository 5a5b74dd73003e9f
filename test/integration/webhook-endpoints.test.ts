import { expect, it } from 'vitest';
import { callerOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createConfigured, createDeliveries } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: configured and added endpoints, newest first, with their state', async () => {
  const configured = await createConfigured(setup, 'https://configured.example.com/');
  const added = (await call('createWebhookEndpoint', { url: 'https://added.example.com/' })).data.id;
  const removed = (await call('createWebhookEndpoint', { url: 'https://removed.example.com/' })).data.id;
  await call('removeWebhookEndpoint', { endpointId: removed });
  await createDeliveries(setup, configured, ['waiting', 'delivered', 'parked', 'parked', 'waiting']);
  const { data } = await call('webhookEndpoints');
  expect(data.nodes).toMatchObject([
    {
      id: added,
      isConfigured: false,
      waitingCount: 0,
      parkedCount: 0,
      lastOutcome: null,
      lastAttemptAt: null,
    },
    {
      id: configured,
      isConfigured: true,
      secretCreatedAt: null,
      waitingCount: 2,
      parkedCount: 2,
      lastOutcome: 'status 500',
      lastAttemptAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect(JSON.stringify(data)).not.toMatch(/whsec_|sealed/i);
});

it('200: in pages', async () => {
  for (const name of ['one', 'two', 'three']) await createConfigured(setup, `https://${name}.example.com/`);
  const { data } = await call('webhookEndpoints', { first: 2 });
  expect(data.nodes.map(({ id }: { id: number }) => id)).toEqual([3, 2]);
  const rest = await call('webhookEndpoints', { first: 2, after: data.next });
  expect(rest.data).toMatchObject({ nodes: [{ id: 1 }], next: null });
});

it('an invalid cursor → 422', async () => {
  expect(await call('webhookEndpoints', { after: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT' });
});
