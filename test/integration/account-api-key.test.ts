import { expect, it } from 'vitest';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: the key as its owner sees it', async () => {
  const { bob } = await createPeople(setup);
  const { data } = await call('accountApiKey', { id: bob.id, keyId: bob.keyId });
  expect(data).toEqual((await call('apiKey', { keyId: bob.keyId }, { sub: 'bob' })).data);
  expect(data).toMatchObject({ id: bob.keyId, isActive: true });
});

it('404 for a key of another account, an unknown one, an unknown account, and an erased one', async () => {
  const { bob, carol } = await createPeople(setup);
  const notFound = { code: 'NOT_FOUND', message: 'API key not found' };
  const other = await setup.gateway.createApiKey(carol.id);
  expect(await call('accountApiKey', { id: bob.id, keyId: other })).toMatchObject(notFound);
  expect(await call('accountApiKey', { id: bob.id, keyId: 99_999 })).toMatchObject(notFound);
  expect(await call('accountApiKey', { id: 99_999, keyId: bob.keyId })).toMatchObject(notFound);
  await call('eraseAccount', { id: bob.id });
  expect(await call('accountApiKey', { id: bob.id, keyId: bob.keyId })).toMatchObject(notFound);
});

it('422 for an id beyond 32 bits', async () => {
  const { code, issues } = await call('accountApiKey', { id: 1, keyId: 2 ** 31 });
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', ['keyId']]);
});
