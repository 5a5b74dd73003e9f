import { expect, it } from 'vitest';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: the keys as their owner sees them, and no others', async () => {
  const { bob, carol } = await createPeople(setup);
  await setup.gateway.createApiKey(carol.id);
  const { data } = await call('accountApiKeys', { id: bob.id });
  expect(data.nodes).toMatchObject([
    { isActive: false, name: null },
    { id: bob.keyId, isActive: true },
  ]);
  expect(data).toEqual((await call('apiKeys', {}, { sub: 'bob' })).data);
});

it('200: in pages', async () => {
  const { bob } = await createPeople(setup);
  const { data } = await call('accountApiKeys', { id: bob.id, first: 1 });
  expect(data.nodes).toHaveLength(1);
  const rest = await call('accountApiKeys', { id: bob.id, first: 1, after: data.next });
  expect(rest.data).toMatchObject({ nodes: [{ id: bob.keyId }], next: null });
});

it('200 with an empty list for an account without keys, 404 for an unknown account', async () => {
  const { carol } = await createPeople(setup);
  expect((await call('accountApiKeys', { id: carol.id })).data.nodes).toEqual([]);
  expect(await call('accountApiKeys', { id: 99 })).toMatchObject({ code: 'NOT_FOUND' });
});

it('an invalid cursor → 422', async () => {
  const { bob } = await createPeople(setup);
  expect(await call('accountApiKeys', { id: bob.id, after: 'x' })).toMatchObject({
    code: 'BAD_USER_INPUT',
  });
});
