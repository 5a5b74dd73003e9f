import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import {
  createEndpointReader,
  type EndpointSecrets,
  sealSecrets,
} from '../../src/webhooks/sending/stored-endpoints.ts';
import { callerOf, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { type Received, startReceiver } from '../support/webhook-receiver.ts';
import { createAdded, createConfigured, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const url = 'https://hooks.example.com/';

/** Whether a message is signed by a secret. */
const isSignedBy = ({ body, headers }: Received, secret: string): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

const call = callerOf(setup);

it('a rotation is in the audit trail, without the secret', async () => {
  await call('createWebhookEndpoint', { url });
  const { data } = await call('rotateWebhookSecret', { endpointId: 1 });
  const [row] = await trailOf(setup, await operatorOf(setup));
  expect(row).toMatchObject({
    action: 'webhook-secret-rotated',
    target: 1,
    details: JSON.stringify([{ field: 'previous_sign_until', from: null, to: data.previousSignUntil }]),
  });
  expect(JSON.stringify([row, setup.gateway.log()])).not.toContain(data.secret);
});

it('a configured or removed endpoint → 409', async () => {
  const id = await createConfigured(setup, url);
  expect(await call('rotateWebhookSecret', { endpointId: id })).toMatchObject({
    code: 'CONFLICT',
    message: 'This webhook endpoint comes from the configuration (WEBHOOKS). Change it there, then restart',
  });
  const { data } = await call('createWebhookEndpoint', { url: `${url}2` });
  await call('removeWebhookEndpoint', { endpointId: data.id });
  expect(await call('rotateWebhookSecret', { endpointId: data.id })).toMatchObject({ code: 'CONFLICT' });
});

it('an unknown endpoint → 404, too long a grace → 422', async () => {
  expect(await call('rotateWebhookSecret', { endpointId: 99 })).toMatchObject({ code: 'NOT_FOUND' });
  for (const graceSeconds of [-1, 604_801])
    expect(await call('rotateWebhookSecret', { endpointId: 99, graceSeconds })).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['graceSeconds'] }],
    });
});

// What is sent does not depend on how an operator has asked for it.
it('during the grace, the new secret and the previous ones sign; then only the new one', async () => {
  await using receiver = await startReceiver();
  send();
  const secrets: string[] = [];
  const first = await call('createWebhookEndpoint', { url: receiver.url });
  secrets.push(first.data.secret);
  /** Which of them sign what is sent. */
  const signing = async (seconds: number) => {
    receiver.secret = `${secrets.at(-1)}`;
    const before = receiver.all.length;
    await setup.gateway.rest('PUT', '/automation/settings', {
      token: await setup.sign(),
      json: { session_duration: seconds },
    });
    await until(() => expect(receiver.taken().length).toBeGreaterThan(before));
    const last = receiver.taken().at(-1);
    return secrets.map((secret) => last !== undefined && isSignedBy(last, secret));
  };
  expect(await signing(60)).toEqual([true]);
  for (let turn = 0; turn < 2; turn += 1) {
    const { data } = await call('rotateWebhookSecret', { endpointId: 1 });
    const grace = Date.parse(data.previousSignUntil) - Date.parse(data.secretCreatedAt);
    expect(grace).toBe(86_400_000);
    secrets.push(data.secret);
  }
  // Whoever has sent the last message may not have looked since.
  await until(async () => expect(await signing(61 + receiver.all.length)).toEqual([true, true, true]));
  const { kysely } = new Db(setup.gateway.database.em);
  await kysely.updateTable('webhook_endpoint').set({ previous_sign_until: new Date() }).execute();
  await until(async () => expect(await signing(61 + receiver.all.length)).toEqual([false, false, true]));
  secrets.push((await call('rotateWebhookSecret', { endpointId: 1, graceSeconds: 60 })).data.secret);
  await until(async () =>
    expect(await signing(61 + receiver.all.length)).toEqual([false, false, true, true]),
  );
  const { data } = await call('rotateWebhookSecret', { endpointId: 1, graceSeconds: 0 });
  expect(data.previousSignUntil).toBeNull();
  secrets.push(data.secret);
  await until(async () =>
    expect(await signing(61 + receiver.all.length)).toEqual([false, false, false, false, true]),
  );
  expect(JSON.stringify(await setup.gateway.rows('webhook_endpoint'))).not.toContain('whsec_');
});

it('at most the newest four secrets sign', async () => {
  const { database, secrets } = setup.gateway;
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const { body } = await setup.gateway.rest('POST', '/admin/webhooks', { token, json: { url } });
  const made: string[] = [body.secret];
  for (let turn = 0; turn < 5; turn += 1) {
    const rotated = await setup.gateway.rest('POST', `/admin/webhooks/${body.id}/rotate`, {
      token,
      json: {},
    });
    made.push(rotated.body.secret);
  }
  const readEndpoints = createEndpointReader([], secrets.sealer, () => {});
  const [endpoint] = await readEndpoints(new Db(database.em));
  expect(endpoint?.secrets).toEqual(made.toReversed().slice(0, 4));
});

it('secrets that were sealed before endpoints had headers still sign', async () => {
  await using receiver = await startReceiver();
  const id = await createAdded(setup, receiver.url);
  const list = [receiver.secret] as unknown as EndpointSecrets;
  const { jwe } = await sealSecrets(setup.gateway.secrets.sealer, id, list);
  const { kysely } = new Db(setup.gateway.database.em);
  await kysely.updateTable('webhook_endpoint').set({ sealed_secrets: jwe }).execute();
  send();
  const json = { session_duration: 60 };
  await setup.gateway.rest('PUT', '/automation/settings', { token: await setup.sign(), json });
  await until(() => expect(receiver.types()).toEqual(['automation_settings.updated']));
});

it('an endpoint whose secrets cannot be opened → gets nothing, and one log line', async () => {
  const lines: string[] = [];
  await using receiver = await startReceiver();
  await using other = await startReceiver();
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const json = { url: receiver.url };
  const { body } = await setup.gateway.rest('POST', '/admin/webhooks', { token, json });
  const { kysely } = new Db(setup.gateway.database.em);
  await kysely.updateTable('webhook_endpoint').set({ sealed_secrets: 'a..b.c.d' }).execute();
  send({ endpoints: [other.config()], lines });
  await until(async () => expect(await setup.gateway.rows('webhook_endpoint')).toHaveLength(2));
  for (const seconds of [60, 61, 62])
    await setup.gateway.rest('PUT', '/automation/settings', {
      token: await setup.sign(),
      json: { session_duration: seconds },
    });
  await until(() => expect(other.types()).toHaveLength(3));
  expect(receiver.all).toEqual([]);
  const told = lines.filter((line) => line.includes('could not decrypt the secrets'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`"endpoint":${body.id}`);
});
