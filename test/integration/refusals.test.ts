import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../src/database/tables.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

/** Keys that are refused, each for another reason, and what the log says of the door and of a verification. */
const refused: [name: string, values: Partial<ApiKey>, atDoor: string, verified: string][] = [
  ['inactive', { isActive: false }, 'api-key-inactive', 'inactive'],
  ['expired', { expiresAt: new Date(0) }, 'api-key-expired', 'expired'],
  ['paused', { pausedAt: new Date(0), pausedBy: 'owner' }, 'api-key-paused', 'paused'],
  [
    'used from elsewhere',
    { allowedAddresses: '["203.0.113.7"]' },
    'api-key-address-not-allowed',
    'address_not_allowed',
  ],
  ['without permission', {}, 'api-key-insufficient-permissions', 'insufficient_permissions'],
];

const create = async (subject: string, values: Partial<ApiKey> = {}) => {
  const accountId = await setup.gateway.createAccount(subject);
  const { id: keyId, secret } = await setup.gateway.createVerifiableKey(accountId, values);
  return { accountId, keyId, secret };
};

const knock = (secret: string, headers: Record<string, string> = {}) =>
  setup.gateway.rest('GET', '/keys/authorize', {
    headers: { 'x-api-key': secret, 'x-keyward-require': 'documents.read', ...headers },
  });

const lineOf = (requestId: string | null) => {
  const lines = setup.gateway.log().filter((line) => line['msg'] === 'request');
  return lines.find((line) => line['requestId'] === requestId);
};

describe.each(refused)('a key that is %s', (_name, values, atDoor, verified) => {
  it('is in the log line of its refusal by forward auth', async () => {
    const { accountId, keyId, secret } = await create('alice', values);
    const { status, headers } = await knock(secret);
    expect(status).toBeOneOf([401, 403]);
    expect(lineOf(headers.get('x-request-id'))).toMatchObject({
      level: 30,
      status,
      accountId,
      keyId,
      reason: atDoor,
    });
  });

  it('is in the log line of its verification, not the server that asked', async () => {
    await setup.gateway.createAccount('server');
    const { accountId, keyId, secret } = await create('alice', values);
    const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
    const question = { key: secret, permissions: ['documents.read'] };
    const rest = await setup.gateway.rest('POST', '/keys/verify', { token, json: question });
    const graphql = await setup.gateway.graphql(
      'mutation ($key: String!) { verifyApiKey(key: $key, permissions: ["documents.read"]) { valid } }',
      { token, variables: { key: secret } },
    );
    for (const { status, headers } of [rest, graphql])
      expect(lineOf(headers.get('x-request-id'))).toMatchObject({
        status,
        accountId,
        keyId,
        reason: verified,
      });
  });
});

it('a key over its limits is in the log line, whoever asks', async () => {
  const { accountId, keyId, secret } = await create('alice', { permissions: '["*"]' });
  await setup.gateway.createQuota(keyId, { units: 1 });
  expect((await knock(secret)).status).toBe(200);
  const { headers } = await knock(secret);
  expect(lineOf(headers.get('x-request-id'))).toMatchObject({ accountId, keyId, reason: 'quota-exceeded' });
});

it('an accepted key is in the log line, without a reason', async () => {
  const { accountId, keyId, secret } = await create('alice', { permissions: '["*"]' });
  const { headers } = await knock(secret);
  const line = lineOf(headers.get('x-request-id'));
  expect(line).toMatchObject({ status: 200, accountId, keyId });
  expect(line).not.toHaveProperty('reason');
});

it('an unknown key → no key id in the log line', async () => {
  const { headers } = await knock(`sk-a1b2c3.${'0'.repeat(64)}`);
  const line = lineOf(headers.get('x-request-id'));
  expect(line).toMatchObject({ status: 401, reason: 'api-key-not-found' });
  expect(line).not.toHaveProperty('keyId');
  expect(line).not.toHaveProperty('accountId');
});

it('a request with the key itself has its id in the log line, even if refused', async () => {
  const { accountId, keyId, secret } = await create('alice', { isActive: false });
  const { status, headers } = await setup.gateway.rest('GET', '/keys/self', {
    headers: { 'x-api-key': secret },
  });
  expect(status).toBe(401);
  expect(lineOf(headers.get('x-request-id'))).toMatchObject({ accountId, keyId, reason: 'api-key-inactive' });
});

it('two customers refused at once → each is found by its request id', async () => {
  const customers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      create(`customer ${index}`, index % 2 === 0 ? { isActive: false } : {}),
    ),
  );
  await Promise.all(
    customers.map(({ secret }, index) => knock(secret, { 'x-request-id': `request-${index}` })),
  );
  for (const [index, { accountId, keyId }] of customers.entries())
    expect(lineOf(`request-${index}`)).toMatchObject({
      accountId,
      keyId,
      reason: index % 2 === 0 ? 'api-key-inactive' : 'api-key-insufficient-permissions',
    });
});
