import { expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, trailOf, verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const reason = 'It has changed its keys.';

const call = callerOf(setup);

it('200: keys and tokens work again, and nothing was lost', async () => {
  const { bob } = await createPeople(setup);
  const before = await call('apiKeys', {}, { sub: 'bob' });
  await call('blockAccount', { id: bob.id, reason: 'Abuse' });
  const { code, data } = await call('unblockAccount', { id: bob.id, reason });
  expect(code).toBe('OK');
  expect(data).toMatchObject({ id: bob.id, blockedAt: null, blockReason: null, activeApiKeyCount: 1 });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: true });
  expect(await call('apiKeys', {}, { sub: 'bob' })).toEqual(before);
});

it('the end of a block is in both audit trails', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason: 'Abuse' });
  await call('unblockAccount', { id: bob.id, reason });
  const olivia = await operatorOf(setup);
  const [ofBob] = await trailOf(setup, bob.id);
  const [ofOlivia] = await trailOf(setup, olivia);
  expect(ofBob).toMatchObject({ action: 'account-unblocked', actor: 'operator', other_id: olivia, reason });
  expect(ofOlivia).toMatchObject({ action: 'account-unblocked', actor: null, other_id: bob.id, reason });
});

it('an account that is not blocked → nothing changes', async () => {
  const { bob } = await createPeople(setup);
  expect(await call('unblockAccount', { id: bob.id, reason })).toMatchObject({ code: 'OK' });
  expect(await trailOf(setup, bob.id)).toEqual([]);
});

it('an unknown account → 404, an erased one → 409', async () => {
  const { carol } = await createPeople(setup);
  await call('eraseAccount', { id: carol.id });
  expect(await call('unblockAccount', { id: 99, reason })).toMatchObject({ code: 'NOT_FOUND' });
  for (const operation of ['blockAccount', 'unblockAccount'] as const)
    expect(await call(operation, { id: carol.id, reason })).toMatchObject({
      code: 'CONFLICT',
      message: 'This account was erased',
    });
});

it('422 without a reason', async () => {
  const { bob } = await createPeople(setup);
  const { code, issues } = await call('unblockAccount', { id: bob.id });
  expect([code, issues?.[0]?.type]).toEqual(['BAD_USER_INPUT', 'missing']);
});
