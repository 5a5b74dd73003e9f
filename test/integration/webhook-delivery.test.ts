import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { Line } from '../../src/webhooks/sending/line.ts';
import { handOut } from '../../src/webhooks/sending/outbox.ts';
import { mostPayloadBytes } from '../../src/webhooks/webhook-delivery.ts';
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

it('a message of many merged updates has at most as many bytes as its field declares', async () => {
  const named = (letter: string, index: number) => `${letter}${index}`.padEnd(100, letter);
  const permissions = Array.from({ length: 39 }, (_, index) => named('a', index));
  const created = { name: 'Laptop', permissions, description: 'a'.repeat(400) };
  const { body } = await setup.call('POST', '/auth/keys', created);
  const endpointId = await createConfigured(setup, 'https://hooks.example.com/');
  const db = new Db(setup.gateway.database.em);
  const line = new Line(() => new Date());
  const update = async (changed: object) => {
    expect((await setup.call('PATCH', `/auth/keys/${body.id}`, changed)).status).toBe(200);
    await handOut(db, line);
  };
  // A few at a time: the trail shortens long changes, and these are not merged.
  for (let from = 0; from < permissions.length; from += 3) {
    for (const index of [from, from + 1, from + 2]) permissions[index] = named('b', index);
    await update({ permissions });
  }
  await update({ description: 'b'.repeat(400) });
  const { data } = await call('webhookDelivery', { endpointId, deliveryId: 1 });
  const [{ from, to }, ...others] = data.payload.data.changes;
  expect([from.length, to.length, others.length]).toEqual([39, 39, 1]);
  expect(Buffer.byteLength(JSON.stringify(data.payload))).toBeLessThanOrEqual(mostPayloadBytes);
});

it('422 for an id beyond 32 bits', async () => {
  const { code, issues } = await call('webhookDelivery', { endpointId: 1, deliveryId: 2 ** 31 });
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', ['deliveryId']]);
});
