import { expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, trailOf, verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const reason = 'It was found in a public repository.';

const call = callerOf(setup);

it('200: the key is refused at once', async () => {
  const { bob } = await createPeople(setup);
  const { code, data } = await call('deactivateAccountApiKey', { keyId: bob.keyId, reason });
  expect(code).toBe('OK');
  expect(data).toMatchObject({
    id: bob.keyId,
    isActive: false,
    deactivatedAt: expect.stringMatching(/Z$/),
  });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: false, reason: 'inactive' });
});

it('the deactivation is in both audit trails; the owner sees the reason', async () => {
  const { bob } = await createPeople(setup);
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: ` ${reason} ` });
  const olivia = await operatorOf(setup);
  // The same change as the owner's deactivation.
  const details = JSON.stringify([{ field: 'is_active', from: true, to: false }]);
  const common = { action: 'api-key-deactivated', target: bob.keyId, reason, details };
  expect((await trailOf(setup, bob.id))[0]).toMatchObject({
    ...common,
    actor: 'operator',
    other_id: olivia,
  });
  expect((await trailOf(setup, olivia))[0]).toMatchObject({ ...common, actor: null, other_id: bob.id });
  const { data } = await call('auditEvents', {}, { sub: 'bob' });
  expect(data.nodes).toMatchObject([
    { action: 'api-key-deactivated', targetId: bob.keyId, actor: 'operator', reason, onUserId: null },
  ]);
});

it("the operator's own key → one event, with the reason", async () => {
  const olivia = await setup.gateway.createAccount('olivia');
  const keyId = await setup.gateway.createApiKey(olivia);
  await call('deactivateAccountApiKey', { keyId, reason });
  expect(await trailOf(setup, olivia)).toMatchObject([
    { actor: null, other_id: null, target: keyId, reason },
  ]);
});

it('a second time → nothing changes', async () => {
  const { bob } = await createPeople(setup);
  const first = await call('deactivateAccountApiKey', { keyId: bob.keyId, reason });
  const stored = await setup.stored();
  expect(await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'Another' })).toEqual(first);
  expect(await setup.stored()).toEqual(stored);
});

it('an unknown key → 404', async () => {
  for (const keyId of [1, 0, -1])
    expect(await call('deactivateAccountApiKey', { keyId, reason })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'API key not found',
    });
  expect(await setup.gateway.rows('account')).toEqual([]);
});

it.each([undefined, '', ' ', 'a'.repeat(501)])('422 for the reason %j', async (bad) => {
  const { bob } = await createPeople(setup);
  const input = bad === undefined ? { keyId: bob.keyId } : { keyId: bob.keyId, reason: bad };
  expect(await call('deactivateAccountApiKey', input)).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: true });
});

it('REST reads the reason only from the query string', async () => {
  const { bob } = await createPeople(setup);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const answer = await setup.gateway.rest('DELETE', `/admin/keys/${bob.keyId}`, { token, json: { reason } });
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', 'reason'], type: 'missing' }] },
  });
});
