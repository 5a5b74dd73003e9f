import { expect, it } from 'vitest';
import { callerOf, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { createAdded, createConfigured, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const url = 'https://hooks.example.com/token-1/keyward';
const call = callerOf(setup);
const rows = (table: string) => setup.gateway.rows(table);

it('201: shows the secret once, and stores it sealed', async () => {
  const { status, code, data } = await call('createWebhookEndpoint', { url, events: ['api_key.*'] });
  expect([status, code]).toEqual([201, 'OK']);
  expect(data).toEqual({
    id: 1,
    url,
    events: ['api_key.*'],
    isConfigured: false,
    createdAt: expect.stringMatching(/Z$/),
    headerNames: [],
    pausedAt: null,
    goneAt: null,
    failingSince: null,
    removedAt: null,
    secretCreatedAt: data.createdAt,
    previousSignUntil: null,
    waitingCount: 0,
    parkedCount: 0,
    lastAttemptAt: null,
    lastOutcome: null,
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
  });
  const { secret, ...record } = data;
  expect((await call('webhookEndpoint', { endpointId: 1 })).data).toEqual(record);
  const [row] = await rows('webhook_endpoint');
  expect(row?.['sealed_secrets']).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
  const everything = JSON.stringify([await setup.stored(), row, setup.gateway.log()]);
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(secret.slice(6));
});

it("the operator's audit trail has the new endpoint, without the secret part of its URL", async () => {
  await call('createWebhookEndpoint', { url });
  const olivia = await operatorOf(setup);
  const [row] = await trailOf(setup, olivia);
  expect(row).toMatchObject({
    action: 'webhook-endpoint-created',
    actor: null,
    other_id: null,
    target: 1,
    details: JSON.stringify([
      { field: 'host', from: null, to: 'hooks.example.com' },
      { field: 'events', from: null, to: ['*'] },
    ]),
  });
  const { data } = await call('auditEvents', {}, { sub: 'olivia' });
  expect(data.nodes[0]).toMatchObject({ action: 'webhook-endpoint-created', targetId: 1, actor: 'self' });
  const [line] = setup.gateway.log().filter(({ event }) => event === 'webhook-endpoint-created');
  expect(line).toMatchObject({ operatorId: olivia, endpointId: 1 });
  expect(JSON.stringify([row, setup.gateway.log()])).not.toContain('token-1');
});

it('201: headers are stored sealed, and only their names are shown', async () => {
  const headers = { Authorization: 'Bearer c4n4ry', 'X-Team': 'c4n4ry 2' };
  const { data } = await call('createWebhookEndpoint', { url, headers });
  expect(data.headerNames).toEqual(['Authorization', 'X-Team']);
  expect((await call('webhookEndpoint', { endpointId: 1 })).data.headerNames).toEqual(data.headerNames);
  const [row] = await trailOf(setup, await operatorOf(setup));
  expect(JSON.parse(`${row?.['details']}`)).toContainEqual({
    field: 'headers',
    from: [],
    to: ['Authorization', 'X-Team'],
  });
  expect(JSON.stringify([await setup.stored(), setup.gateway.log()])).not.toContain('c4n4ry');
});

it('a URL that exists already → 409; one that was removed can be added again', async () => {
  const first = await call('createWebhookEndpoint', { url, events: ['quota.*'] });
  const again = await call('createWebhookEndpoint', { url: url.replace('https://h', 'HTTPS://H') });
  expect(again).toMatchObject({
    code: 'CONFLICT',
    message: 'A webhook endpoint with this URL exists already',
  });
  await createConfigured(setup, 'https://configured.example.com/');
  expect(await call('createWebhookEndpoint', { url: 'https://configured.example.com' })).toMatchObject({
    code: 'CONFLICT',
  });
  await call('updateWebhookEndpoint', { endpointId: 1, isPaused: true });
  await call('removeWebhookEndpoint', { endpointId: 1 });
  const { data } = await call('createWebhookEndpoint', { url });
  expect(data).toMatchObject({ id: 1, events: ['*'], pausedAt: null, removedAt: null });
  expect(data.secret).not.toBe(first.data.secret);
});

it('one more than allowed → 409', async () => {
  for (let index = 0; index < 31; index += 1) await createAdded(setup, `https://hooks.example.com/${index}`);
  const more = ['a', 'b', 'c'].map((each) => call('createWebhookEndpoint', { url: `${url}/${each}` }));
  const refused = (await Promise.all(more)).filter(({ code }) => code !== 'OK');
  const message = 'Operators can add at most 32 webhook endpoints: remove one first';
  expect(refused).toMatchObject([
    { code: 'CONFLICT', message },
    { code: 'CONFLICT', message },
  ]);
  expect(await rows('webhook_endpoint')).toHaveLength(32);
});

it.each([
  ['a header of the message', { 'webhook-signature': 'x' }],
  ['a value with a line break', { Authorization: 'a\nb' }],
  ['a value that is no text', { Authorization: { a: 1 } }],
  ['a header twice', { 'X-A': 'a', 'x-a': 'b' }],
  ['eleven headers', Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'a']))],
])('422 for %s', async (_what, headers) => {
  const { code, issues } = await call('createWebhookEndpoint', { url, headers });
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', ['headers']]);
  expect(issues?.[0]?.message).toMatch(/^Must have .*\.$/);
});

it.each([
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'hooks.example.com',
  '',
  'https://',
  'https://ho"oks.example.com/',
  'https://hooks..example.com/',
  'https://user:password@hooks.example.com/',
  'https://hooks.example.com/#here',
  'https://localhost/',
  'https://10.0.0.1/',
  'https://0xa.1/',
  'https://167772161/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fd00::1]/',
  'http://127.0.0.2/',
  `https://hooks.example.com/${'a'.repeat(2000)}`,
  `https://hooks.example.com/${'ä'.repeat(700)}`,
  'https://hooks.example.com/\0',
])('422 for the address %s', async (bad) => {
  const { code, issues } = await call('createWebhookEndpoint', { url: bad });
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', ['url']]);
  expect(await rows('webhook_endpoint')).toEqual([]);
});

it.each([
  [[]],
  [['api_key.crated']],
  [['*.created']],
  [['api_key.*', 'api_key.*']],
  [Array.from({ length: 51 }, () => '*')],
  [['']],
])('422 for the events %j', async (events) => {
  const { code, issues } = await call('createWebhookEndpoint', { url, events });
  expect([code, issues?.[0]?.path[0]]).toEqual(['BAD_USER_INPUT', 'events']);
  expect(await rows('webhook_endpoint')).toEqual([]);
});

// What is sent does not depend on how an operator has asked for it.
it('a new endpoint gets later events; without a list, all of them', async () => {
  await using receiver = await startReceiver();
  send();
  const token = await setup.sign();
  const change = (seconds: number) =>
    setup.gateway.rest('PUT', '/automation/settings', { token, json: { session_duration: seconds } });
  await change(60);
  const { data } = await call('createWebhookEndpoint', { url: receiver.url });
  expect(data.events).toEqual(['*']);
  receiver.secret = data.secret;
  await change(61);
  await until(() => expect(receiver.types()).toEqual(['automation_settings.updated']));
  expect(receiver.taken()[0]?.event.data.changes).toEqual([{ field: 'session_duration', from: 60, to: 61 }]);
  await until(async () => expect(await rows('webhook_event')).toEqual([]));
  expect(receiver.all).toHaveLength(1);
});

it('with an Idempotency-Key, a repetition has the same secret and adds nothing', async () => {
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const post = () =>
    setup.gateway.rest('POST', '/admin/webhooks', {
      token,
      json: { url },
      headers: { 'idempotency-key': 'once' },
    });
  const first = await post();
  expect(first.status).toBe(201);
  expect(first.headers.get('location')).toBe('/api/v1/admin/webhooks/1');
  expect((await post()).body).toEqual(first.body);
  expect(await rows('webhook_endpoint')).toHaveLength(1);
});

it('a misspelt member → refused', async () => {
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const answer = await setup.gateway.rest('POST', '/admin/webhooks', { token, json: { url, event: ['*'] } });
  expect(answer.body.detail).toMatchObject([{ loc: ['body', 'event'], type: 'extra_forbidden' }]);
});
