import { expect, it } from 'vitest';
import { callerOf, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { failures, startReceiver, take } from '../support/webhook-receiver.ts';
import { createConfigured, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const url = 'https://hooks.example.com/';

const call = callerOf(setup);

it('200: the time of removal; the secret is deleted; a second time → the same', async () => {
  await call('createWebhookEndpoint', { url });
  const { data } = await call('removeWebhookEndpoint', { endpointId: 1 });
  expect(data).toMatchObject({ id: 1, removedAt: expect.stringMatching(/Z$/), isConfigured: false });
  expect(await setup.gateway.rows('webhook_endpoint')).toMatchObject([
    { sealed_secrets: null, encryption_version: null },
  ]);
  const stored = await setup.stored();
  expect((await call('removeWebhookEndpoint', { endpointId: 1 })).data).toEqual(data);
  expect(await setup.stored()).toEqual(stored);
  const [row] = await trailOf(setup, await operatorOf(setup));
  expect(row).toMatchObject({ action: 'webhook-endpoint-removed', target: 1, details: null });
});

it('a configured endpoint → 409, an unknown one → 404', async () => {
  const id = await createConfigured(setup, url);
  expect(await call('removeWebhookEndpoint', { endpointId: id })).toMatchObject({ code: 'CONFLICT' });
  expect(await call('removeWebhookEndpoint', { endpointId: 99 })).toMatchObject({ code: 'NOT_FOUND' });
});

// What is sent does not depend on how an operator has asked for it.
it('a removed endpoint gets no more events, and none are stored for it', async () => {
  await using receiver = await startReceiver(failures['an error']);
  send();
  const { data } = await call('createWebhookEndpoint', { url: receiver.url });
  receiver.secret = data.secret;
  const change = async (seconds: number) =>
    setup.gateway.rest('PUT', '/automation/settings', {
      token: await setup.sign(),
      json: { session_duration: seconds },
    });
  await change(60);
  await until(() => expect(receiver.all.length).toBeGreaterThan(1));
  receiver.manner = take;
  await call('removeWebhookEndpoint', { endpointId: data.id });
  await change(61);
  expect(await setup.gateway.rows('webhook_event')).toEqual([]);
  await using another = await startReceiver();
  const next = await call('createWebhookEndpoint', { url: another.url });
  another.secret = next.data.secret;
  await change(62);
  await until(() => expect(another.types()).toHaveLength(1));
  // Whoever knows of the other one knows that this one is gone. One may have been on its way.
  const before = receiver.all.length;
  await change(63);
  await until(() => expect(another.types()).toHaveLength(2));
  expect(receiver.all.length).toBe(before);
});

it('the configuration can take over an added endpoint; a start leaves others alone', async () => {
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  await using receiver = await startReceiver();
  for (const each of [receiver.url, url])
    await setup.gateway.rest('POST', '/admin/webhooks', { token, json: { url: each } });
  send({ endpoints: [receiver.config(['api_key.*'])] });
  await until(async () => {
    const { body } = await setup.gateway.rest('GET', '/admin/webhooks', { token });
    expect(body).toMatchObject([
      { url, is_configured: false, events: ['*'], removed_at: null },
      { url: receiver.url, is_configured: true, events: ['api_key.*'], secret_created_at: null },
    ]);
  });
  await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: {} });
  await until(() => expect(receiver.types()).toEqual(['api_key.created']));
});
