import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { callerOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createConfigured, createDeliveries } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: newest first, with the state of each, without payloads', async () => {
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  await createDeliveries(setup, await createConfigured(setup, 'https://other.example.com/'), ['parked']);
  const [delivered, waiting] = await createDeliveries(setup, endpoint, ['delivered', 'waiting']);
  const { data } = await call('webhookDeliveries', { endpointId: endpoint });
  const common = {
    endpointId: endpoint,
    type: 'automation_settings.updated',
    userId: expect.any(Number),
    createdAt: expect.stringMatching(/Z$/),
  };
  expect(data.nodes).toEqual([
    {
      ...common,
      id: waiting,
      message: 'msg_1',
      state: 'WAITING',
      attempts: 0,
      lastAttemptAt: null,
      lastOutcome: null,
      nextAttemptAt: expect.stringMatching(/Z$/),
    },
    {
      ...common,
      id: delivered,
      message: 'msg_0',
      state: 'DELIVERED',
      attempts: 2,
      lastAttemptAt: expect.stringMatching(/Z$/),
      lastOutcome: 'status 204',
      nextAttemptAt: null,
    },
  ]);
});

it('200: only the first delivery of a lane has the time of its next attempt', async () => {
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  const [first] = await createDeliveries(setup, endpoint, ['waiting', 'waiting', 'delivered']);
  const { kysely } = new Db(setup.gateway.database.em);
  await kysely.updateTable('webhook_delivery').set({ lane: 'one' }).execute();
  await kysely
    .updateTable('webhook_delivery')
    .set({ due_at: null })
    .where('id', '<>', Number(first))
    .execute();
  const { data } = await call('webhookDeliveries', { endpointId: endpoint });
  const times = data.nodes.map(({ nextAttemptAt }: { nextAttemptAt: unknown }) => nextAttemptAt);
  expect(times).toEqual([null, null, expect.any(String)]);
});

it('200: deliveries in one state, in pages', async () => {
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  const states = ['parked', 'delivered', 'parked', 'waiting', 'parked'] as const;
  const ids = await createDeliveries(setup, endpoint, states);
  const { data } = await call('webhookDeliveries', { endpointId: endpoint, state: 'PARKED', first: 2 });
  const idsOf = (nodes: { id: number }[]) => nodes.map(({ id }) => id);
  expect(idsOf(data.nodes)).toEqual([ids[4], ids[2]]);
  const next = { endpointId: endpoint, state: 'PARKED', first: 2, after: data.next };
  expect(idsOf((await call('webhookDeliveries', next)).data.nodes)).toEqual([ids[0]]);
  for (const state of ['WAITING', 'DELIVERED']) {
    const found = await call('webhookDeliveries', { endpointId: endpoint, state });
    expect(found.data.nodes).toMatchObject([{ state }]);
  }
});

it('an endpoint without deliveries → none, an unknown one → 404, bad input → 422', async () => {
  const endpoint = await createConfigured(setup, 'https://hooks.example.com/');
  expect((await call('webhookDeliveries', { endpointId: endpoint })).data.nodes).toEqual([]);
  expect(await call('webhookDeliveries', { endpointId: 99 })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await call('webhookDeliveries', { endpointId: endpoint, first: 101 })).toMatchObject({
    code: 'BAD_USER_INPUT',
  });
  expect(await call('webhookDeliveries', { endpointId: endpoint, state: 'LOST' })).toMatchObject({
    code: 'BAD_USER_INPUT',
  });
});
