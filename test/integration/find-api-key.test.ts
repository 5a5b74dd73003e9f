import { expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200 for a whole key: its owner; nothing is written or counted', async () => {
  const { bob } = await createPeople(setup);
  const before = await setup.stored();
  const { data } = await call('findApiKey', { key: bob.secret });
  expect(data).toEqual([
    {
      keyId: bob.keyId,
      keyPrefix: bob.secret.slice(0, 9),
      name: 'Laptop',
      isActive: true,
      pausedAt: null,
      expiresAt: null,
      lastUsedAt: null,
      userId: bob.id,
      ownerKind: 'person',
      issuer: setup.issuer.config.issuer,
      subject: 'bob',
      isBlocked: false,
    },
  ]);
  await setup.gateway.keyUsage.write();
  expect(await setup.stored()).toEqual(before);
});

it('200 for a prefix: all keys with it, newest first', async () => {
  const { bob, carol } = await createPeople(setup);
  const id = await setup.gateway.createApiKey(carol.id);
  await call('blockAccount', { id: carol.id, reason: 'Abuse' });
  const { data } = await call('findApiKey', { keyPrefix: 'sk-a1b2c3' });
  expect(data).toMatchObject([
    { keyId: id, userId: carol.id, isBlocked: true },
    { userId: bob.id, isActive: false, isBlocked: false },
  ]);
});

it('200: also inactive, expired and rotated keys', async () => {
  const { bob } = await createPeople(setup);
  const secret = createApiKeySecret();
  const id = await setup.gateway.createApiKey(bob.id, { isActive: false, expiresAt: new Date(0) });
  await setup.gateway.addSecret(id, secret, new Date(0));
  expect((await call('findApiKey', { key: secret })).data).toMatchObject([
    { keyId: id, isActive: false, expiresAt: '1970-01-01T00:00:00.000Z' },
  ]);
});

it('an unknown key → an empty list', async () => {
  await createPeople(setup);
  for (const input of [
    { key: createApiKeySecret() },
    { key: '' },
    { key: 'x' },
    { keyPrefix: 'sk-zzzzzz' },
    { keyPrefix: 'sk' },
  ])
    expect((await call('findApiKey', input)).data).toEqual([]);
});

it.each([
  [{}],
  [{ key: 'a', keyPrefix: 'b' }],
  [{ key: 'a'.repeat(1001) }],
  [{ keyPrefix: 'a\0' }],
  [{ keyPrefix: 'a'.repeat(101) }],
])('422 for %o', async (input) => {
  expect(await call('findApiKey', input)).toMatchObject({ code: 'BAD_USER_INPUT' });
});
