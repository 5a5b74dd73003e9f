import { expect, it } from 'vitest';
import { ApiKeyUse } from '../../src/database/tables.ts';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const range = {
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
};
const long = { from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };

/** An hour ago, somebody used bob's key. */
async function createUsed() {
  const { bob } = await createPeople(setup);
  const use = { hour: new Date(Date.now() - 3_600_000), count: 7, outcome: 'expired', apiKey: bob.keyId };
  await setup.gateway.database.em.fork().insert(ApiKeyUse, use);
  return bob;
}

const call = callerOf(setup);

it('200: as the owner sees it', async () => {
  const { keyId } = await createUsed();
  const { data } = await call('accountApiKeyUsage', { keyId, ...range });
  expect(data.counts).toMatchObject([{ outcome: 'expired', count: 7 }]);
  expect(data).toEqual((await call('apiKeyUsage', { keyId, ...range }, { sub: 'bob' })).data);
});

it('200: also for a blocked account, which itself sees nothing', async () => {
  const { id, keyId } = await createUsed();
  await call('blockAccount', { id, reason: 'x' });
  expect((await call('accountApiKeyUsage', { keyId, ...range })).data.counts).toHaveLength(1);
});

it('404 for an unknown key, and for a key of an erased account', async () => {
  const { id, keyId } = await createUsed();
  expect((await call('accountApiKeyUsage', { keyId: 99, ...range })).code).toBe('NOT_FOUND');
  await call('eraseAccount', { id });
  expect((await call('accountApiKeyUsage', { keyId, ...range })).code).toBe('NOT_FOUND');
});

it('422 for a range that is too long', async () => {
  const { keyId } = await createUsed();
  expect((await call('accountApiKeyUsage', { keyId, ...long })).code).toBe('BAD_USER_INPUT');
});

it("403 without the operator's scope", async () => {
  const { bob } = await createPeople(setup);
  const before = await setup.stored();
  for (const claims of [{ sub: 'bob' }, { sub: 'server', scope: 'keys.verify accounts.entitle' }])
    expect((await call('accountApiKeyUsage', { keyId: bob.keyId }, claims)).code).toBe('FORBIDDEN');
  expect(await setup.stored()).toEqual(before);
});
