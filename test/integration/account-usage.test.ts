import { expect, it } from 'vitest';
import { AccountUse } from '../../src/database/tables.ts';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const range = {
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
};
const long = { from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };

/** An hour ago, somebody used a key of bob's. */
async function createUsed() {
  const { bob, carol } = await createPeople(setup);
  const use = { hour: new Date(Date.now() - 3_600_000), count: 7, outcome: 'valid', account: bob.id };
  await setup.gateway.database.em.fork().insert(AccountUse, use);
  return { bob, carol };
}

const call = callerOf(setup);

it('200: as the owner sees it', async () => {
  const { bob } = await createUsed();
  const { data } = await call('accountUsage', { id: bob.id, ...range });
  expect(data.counts).toMatchObject([{ outcome: 'valid', count: 7 }]);
  expect(data).toEqual((await call('apiKeysUsage', range, { sub: 'bob' })).data);
});

it('200: also for a blocked account, which itself sees nothing', async () => {
  const { bob } = await createUsed();
  await call('blockAccount', { id: bob.id, reason: 'x' });
  expect((await call('accountUsage', { id: bob.id, ...range })).data.counts).toHaveLength(1);
});

it('200 without counts for an account whose keys were not used, 404 for an unknown account', async () => {
  const { carol } = await createUsed();
  expect((await call('accountUsage', { id: carol.id, ...range })).data.counts).toEqual([]);
  expect((await call('accountUsage', { id: 99, ...range })).code).toBe('NOT_FOUND');
});

it('422 for a range that is too long', async () => {
  const { bob } = await createUsed();
  expect((await call('accountUsage', { id: bob.id, ...long })).code).toBe('BAD_USER_INPUT');
});

it("403 without the operator's scope", async () => {
  const { bob } = await createPeople(setup);
  const before = await setup.stored();
  for (const claims of [{ sub: 'bob' }, { sub: 'server', scope: 'keys.verify accounts.entitle' }])
    expect((await call('accountUsage', { id: bob.id }, claims)).code).toBe('FORBIDDEN');
  expect(await setup.stored()).toEqual(before);
});
