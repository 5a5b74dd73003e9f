import { expect, it } from 'vitest';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: the owner and the numbers of keys', async () => {
  const { bob, carol } = await createPeople(setup);
  const before = await setup.stored();
  const record = {
    id: bob.id,
    issuer: setup.issuer.config.issuer,
    subject: 'bob',
    kind: 'person',
    createdAt: expect.stringMatching(/Z$/),
    blockedAt: null,
    blockReason: null,
    erasedAt: null,
    apiKeyCount: 2,
    activeApiKeyCount: 1,
  };
  expect((await call('account', { id: bob.id })).data).toEqual(record);
  expect((await call('account', { id: carol.id })).data).toMatchObject({
    apiKeyCount: 0,
    activeApiKeyCount: 0,
  });
  expect(await setup.stored(), 'a read writes nothing').toEqual(before);
});

it('an unknown account → 404', async () => {
  for (const id of [1, 0, -1, 2_147_483_647])
    expect(await call('account', { id })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'Account not found',
    });
});

it.each(['abc', '0x10', '01', '1.5', '2147483648', '%00'])('422 for the id %s over REST', async (id) => {
  const token = await setup.sign({ scope: 'keyward.admin' });
  const { status, body } = await setup.gateway.rest('GET', `/admin/accounts/${id}`, { token });
  expect([status, body.detail[0].loc]).toEqual([422, ['path', 'id']]);
});
