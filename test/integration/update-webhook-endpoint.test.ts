import { expect, it } from 'vitest';
import { callerOf, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { createConfigured, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const url = 'https://hooks.example.com/';

const call = callerOf(setup);

it('200: other events; the audit trail has the old and new ones', async () => {
  await call('createWebhookEndpoint', { url, events: ['api_key.*'] });
  const { data } = await call('updateWebhookEndpoint', { endpointId: 1, events: ['quota.exhausted'] });
  expect(data).toMatchObject({ events: ['quota.exhausted'], pausedAt: null });
  const [row] = await trailOf(setup, await operatorOf(setup));
  expect(row).toMatchObject({
    action: 'webhook-endpoint-updated',
    target: 1,
    details: '[{"field":"events","from":["api_key.*"],"to":["quota.exhausted"]}]',
  });
});

it('200: other headers replace the previous ones; the audit trail has only their names', async () => {
  const before = { Authorization: 'Bearer one', 'X-Same': 'same', 'X-Old': 'old' };
  await call('createWebhookEndpoint', { url, headers: before });
  const after = { Authorization: 'Bearer two', 'X-Same': 'same', 'X-New': 'new' };
  const { data } = await call('updateWebhookEndpoint', { endpointId: 1, headers: after });
  expect(data.headerNames).toEqual(['Authorization', 'X-Same', 'X-New']);
  const [row] = await trailOf(setup, await operatorOf(setup));
  const change = { field: 'headers', from: ['Authorization', 'X-Old'], to: ['Authorization', 'X-New'] };
  expect(row).toMatchObject({ action: 'webhook-endpoint-updated', details: JSON.stringify([change]) });
  const [stored] = await setup.gateway.rows('webhook_endpoint');
  await call('updateWebhookEndpoint', { endpointId: 1, headers: after });
  expect(await setup.gateway.rows('webhook_endpoint')).toEqual([stored]);
  const { data: without } = await call('updateWebhookEndpoint', { endpointId: 1, headers: {} });
  expect(without.headerNames).toEqual([]);
});

it('an equal, missing or null member → nothing changes', async () => {
  const { data } = await call('createWebhookEndpoint', { url, events: ['api_key.*'] });
  const { secret: _, ...record } = data;
  const stored = await setup.stored();
  for (const input of [
    {},
    { isPaused: null, events: null, headers: null },
    { isPaused: false, events: ['api_key.*'] },
  ])
    expect((await call('updateWebhookEndpoint', { endpointId: 1, ...input })).data).toEqual(record);
  expect(await setup.stored()).toEqual(stored);
  const { data: once } = await call('updateWebhookEndpoint', { endpointId: 1, isPaused: true });
  const { data: twice } = await call('updateWebhookEndpoint', { endpointId: 1, isPaused: true });
  expect(twice.pausedAt).toBe(once.pausedAt);
});

it("a configured endpoint's events, or a removed endpoint → 409", async () => {
  const id = await createConfigured(setup, url);
  expect(await call('updateWebhookEndpoint', { endpointId: id, events: ['api_key.*'] })).toMatchObject({
    code: 'CONFLICT',
    message: 'This webhook endpoint comes from the configuration (WEBHOOKS). Change it there, then restart',
  });
  expect(await call('updateWebhookEndpoint', { endpointId: id, headers: {} })).toMatchObject({
    code: 'CONFLICT',
  });
  const { data } = await call('createWebhookEndpoint', { url: `${url}2` });
  await call('removeWebhookEndpoint', { endpointId: data.id });
  expect(await call('updateWebhookEndpoint', { endpointId: data.id, isPaused: true })).toMatchObject({
    code: 'CONFLICT',
    message: 'This webhook endpoint was removed',
  });
});

it('an unknown endpoint → 404', async () => {
  expect(await call('updateWebhookEndpoint', { endpointId: 99, isPaused: true })).toMatchObject({
    code: 'NOT_FOUND',
  });
});

// What is sent does not depend on how an operator has asked for it.
it('a paused endpoint gets nothing; its events wait, and come in order when it continues', async () => {
  await using receiver = await startReceiver();
  await using other = await startReceiver();
  send({ endpoints: [other.config()] });
  const { data } = await call('createWebhookEndpoint', { url: receiver.url });
  receiver.secret = data.secret;
  const { data: paused } = await call('updateWebhookEndpoint', { endpointId: data.id, isPaused: true });
  expect(paused).toMatchObject({ id: data.id, pausedAt: expect.stringMatching(/Z$/), events: ['*'] });
  const token = await setup.sign();
  const { body } = await setup.gateway.rest('POST', '/auth/keys', { token, json: {} });
  await setup.gateway.rest('DELETE', `/auth/keys/${body.id}`, { token });
  // The other endpoint was told, so this one would have been.
  await until(() => expect(other.types()).toEqual(['api_key.created', 'api_key.deactivated']));
  await until(async () => {
    const { data: seen } = await call('webhookEndpoint', { endpointId: data.id });
    expect(seen).toMatchObject({ waitingCount: 2, lastAttemptAt: null });
  });
  expect(receiver.all).toEqual([]);
  const { data: going } = await call('updateWebhookEndpoint', { endpointId: data.id, isPaused: false });
  expect(going.pausedAt).toBeNull();
  await until(() => expect(receiver.types()).toEqual(['api_key.created', 'api_key.deactivated']));
});

it('headers are sent with each message, also after the secret is replaced', async () => {
  await using receiver = await startReceiver();
  send();
  const { data } = await call('createWebhookEndpoint', {
    url: receiver.url,
    headers: { 'X-Token': 'one' },
  });
  receiver.secret = data.secret;
  const token = await setup.sign();
  const change = (json: object) => setup.gateway.rest('PUT', '/automation/settings', { token, json });
  const tokens = () => receiver.taken().map(({ headers }) => headers['x-token']);
  await change({ session_duration: 60 });
  await until(() => expect(tokens()).toEqual(['one']));
  const { data: rotated } = await call('rotateWebhookSecret', { endpointId: data.id, graceSeconds: 0 });
  receiver.secret = rotated.secret;
  await change({ session_duration: 61 });
  await until(() => expect(tokens()).toEqual(['one', 'one']));
  await call('updateWebhookEndpoint', { endpointId: data.id, headers: { 'X-Token': 'two' } });
  // A message that was being sent meanwhile may still have the old one.
  let seconds = 61;
  await until(async () => {
    seconds += 1;
    await change({ session_duration: seconds });
    expect(tokens().at(-1)).toBe('two');
  });
  expect(tokens().toSorted()).toEqual(tokens());
});

it('a configured endpoint can be paused, and stays paused after a start', async () => {
  await using receiver = await startReceiver();
  const id = await createConfigured(setup, receiver.url);
  expect((await call('updateWebhookEndpoint', { endpointId: id, isPaused: true })).code).toBe('OK');
  send({ endpoints: [receiver.config()] });
  await setup.gateway.rest('PUT', '/automation/settings', {
    token: await setup.sign(),
    json: { session_duration: 60 },
  });
  await until(async () => {
    const { data } = await call('webhookEndpoint', { endpointId: id });
    expect(data).toMatchObject({ waitingCount: 1, pausedAt: expect.any(String), isConfigured: true });
  });
  expect(receiver.all).toEqual([]);
});

it('two operators with one If-Match → one gets 412', async () => {
  await createConfigured(setup, url);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const tag = (await setup.gateway.rest('GET', '/admin/webhooks/1', { token })).headers.get('etag') ?? '';
  const pause = async (sub: string) =>
    setup.gateway.rest('PATCH', '/admin/webhooks/1', {
      token: await setup.sign({ sub, scope: 'keyward.admin' }),
      json: { is_paused: true },
      headers: { 'if-match': tag },
    });
  const statuses = await Promise.all(['olivia', 'oscar'].map(async (sub) => (await pause(sub)).status));
  expect(statuses.toSorted()).toEqual([200, 412]);
});

it('a misspelt member → refused; the record as it was read → accepted', async () => {
  await createConfigured(setup, url);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const patch = (json: object) => setup.gateway.rest('PATCH', '/admin/webhooks/1', { token, json });
  expect((await patch({ paused: true })).body.detail).toMatchObject([{ type: 'extra_forbidden' }]);
  const { body } = await setup.gateway.rest('GET', '/admin/webhooks/1', { token });
  expect((await patch({ ...body, is_paused: true })).status).toBe(200);
});
