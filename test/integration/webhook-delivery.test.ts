import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { callerOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createConfigured, createDeliveries } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: the delivery as in the list, with the message', async () => {
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  const [, parked] = await createDeliveries(setup, endpoint, ['waiting', 'parked']);
  const { kysely } = new Db(setup.gateway.database.em);
  const message = {
    type: 'automation_settings.updated',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: { user_id: 1 },
  };
  await kysely
    .updateTable('webhook_delivery')
    .set({ payload: JSON.stringify(message) })
    .execute();
  const { data } = await call('webhookDelivery', { endpointId: endpoint, deliveryId: parked });
  const listed = await call('webhookDeliveries', { endpointId: endpoint, state: 'PARKED' });
  expect(data).toEqual({ ...listed.data.nodes[0], payload: message });
});

it('404 for an unknown delivery, one to another endpoint, and one of an erased account', async () => {
  const notFound = { code: 'NOT_FOUND', message: 'Webhook delivery not found' };
  expect(await call('webhookDelivery', { endpointId: 1, deliveryId: 99 })).toMatchObject(notFound);
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  const [deliveryId] = await createDeliveries(setup, endpoint, ['delivered']);
  const { data } = await call('webhookDelivery', { endpointId: endpoint, deliveryId });
  const other = await createConfigured(setup, 'https://other.example.com/');
  expect(await call('webhookDelivery', { endpointId: other, deliveryId })).toMatchObject(notFound);
  await call('eraseAccount', { id: data.userId });
  expect(await call('webhookDelivery', { endpointId: endpoint, deliveryId })).toMatchObject(notFound);
});

it('422 for an id beyond 32 bits', async () => {
  const { code, issues } = await call('webhookDelivery', { endpointId: 1, deliveryId: 2 ** 31 });
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', ['deliveryId']]);
});
