import { expect, it } from 'vitest';
import { callerOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createConfigured } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: a configured endpoint', async () => {
  const id = await createConfigured(setup, 'https://configured.example.com/');
  expect((await call('webhookEndpoint', { endpointId: id })).data).toMatchObject({
    id,
    isConfigured: true,
  });
});

it('200: a removed endpoint has the time of removal', async () => {
  await call('createWebhookEndpoint', { url: 'https://hooks.example.com/' });
  await call('removeWebhookEndpoint', { endpointId: 1 });
  expect((await call('webhookEndpoint', { endpointId: 1 })).data).toMatchObject({
    isConfigured: false,
    removedAt: expect.stringMatching(/Z$/),
  });
});

it('an unknown endpoint → 404', async () => {
  for (const endpointId of [99, 0, -1])
    expect(await call('webhookEndpoint', { endpointId })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'Webhook endpoint not found',
    });
});
