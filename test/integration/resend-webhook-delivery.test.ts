import { expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { findDeliveries, takeDeliveries } from '../../src/webhooks/sending/stored-deliveries.ts';
import { callerOf, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { createConfigured, createDeliveries, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const url = 'https://hooks.example.com/';
const db = () => new Db(setup.gateway.database.em);

const call = callerOf(setup);

it('a resend is in the audit trail', async () => {
  const endpoint = await createConfigured(setup, url);
  const [id] = await createDeliveries(setup, endpoint, ['parked']);
  await call('resendWebhookDelivery', { deliveryId: id });
  const [row] = await trailOf(setup, await operatorOf(setup));
  expect(row).toMatchObject({
    action: 'webhook-delivery-resent',
    target: endpoint,
    details: JSON.stringify([{ field: 'delivery_id', from: null, to: id }]),
  });
});

it('a delivery that a node is sending stays with that node', async () => {
  const endpoint = await createConfigured(setup, url);
  const [id] = await createDeliveries(setup, endpoint, ['waiting']);
  const find = async () => {
    const wanted = { endpoint, now: new Date(), without: [], most: 9 };
    return [
      ...(await findDeliveries(db(), 'line', wanted)),
      ...(await findDeliveries(db(), 'again', wanted)),
    ];
  };
  expect(await takeDeliveries(db(), await find(), new Date())).toMatchObject([{ id }]);
  await call('resendWebhookDelivery', { deliveryId: id });
  expect(await find()).toEqual([]);
});

it('a delivery of an erased account → 404, even before its rows are gone', async () => {
  const endpoint = await createConfigured(setup, url);
  const [id] = await createDeliveries(setup, endpoint, ['parked']);
  const [{ account_id: account } = {}] = await setup.gateway.rows('webhook_delivery');
  const run = vi.spyOn(setup.gateway.erasures, 'run').mockResolvedValue();
  expect(await call('eraseAccount', { id: account })).toMatchObject({ code: 'OK' });
  expect(await call('resendWebhookDelivery', { deliveryId: id })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await setup.gateway.rows('webhook_delivery')).toMatchObject([{ state: 'parked' }]);
  run.mockRestore();
});

it('a delivery of a removed endpoint → 409, an unknown delivery → 404', async () => {
  const { data } = await call('createWebhookEndpoint', { url });
  const [id] = await createDeliveries(setup, data.id, ['parked']);
  await call('removeWebhookEndpoint', { endpointId: data.id });
  expect(await call('resendWebhookDelivery', { deliveryId: id })).toMatchObject({
    code: 'CONFLICT',
    message: 'This webhook endpoint was removed',
  });
  expect(await setup.gateway.rows('webhook_delivery')).toMatchObject([{ state: 'parked' }]);
  expect(await call('resendWebhookDelivery', { deliveryId: 99 })).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Webhook delivery not found',
  });
});

// What is sent does not depend on how an operator has asked for it.
it.each(['parked', 'delivered', 'waiting'] as const)(
  'a delivery that is %s is sent again, with the same id',
  async (state) => {
    await using receiver = await startReceiver();
    const endpoint = await createConfigured(setup, receiver.url);
    const [id] = await createDeliveries(setup, endpoint, [state]);
    const later = new Date(Date.now() + 20 * 60_000);
    await db().kysely.updateTable('webhook_delivery').set({ due_at: later }).execute();
    const { data } = await call('resendWebhookDelivery', { deliveryId: id });
    expect(data).toMatchObject({
      id,
      state: 'WAITING',
      message: 'msg_0',
      attempts: state === 'waiting' ? 0 : 2,
    });
    expect(Date.parse(data.nextAttemptAt)).toBeLessThanOrEqual(Date.now());
    const [row] = await setup.gateway.rows('webhook_delivery');
    expect(Number(row?.['kept_until'])).toBeGreaterThan(Date.now() + 2.9 * 24 * 60 * 60_000);
    send({ endpoints: [receiver.config()] });
    await until(() => expect(receiver.taken()).toMatchObject([{ id: 'msg_0' }]));
    await until(async () => {
      const { data: after } = await call('webhookDeliveries', { endpointId: endpoint });
      expect(after.nodes).toMatchObject([{ id, state: 'DELIVERED', lastOutcome: 'status 204' }]);
    });
  },
);
