import { beforeEach, expect, it } from 'vitest';
import { keyVerifier } from '../../src/auth/scopes.ts';
import type { Answer } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

/** The ids of alice's account and of her keys; bob was there before her. */
let alice: number;
let active: number;
let inactive: number;
beforeEach(async () => {
  const { gateway } = setup;
  await gateway.createApiKey(await gateway.createAccount('bob'));
  const account = await gateway.createAccount('alice');
  alice = account;
  active = await gateway.createApiKey(account, { isDefault: true });
  inactive = await gateway.createApiKey(account, { isActive: false });
});

const lineOf = async (answer: Promise<Answer>, status: number) => {
  expect((await answer).status).toBe(status);
  const lines = setup.gateway.log().filter(({ msg }) => msg === 'request');
  expect(lines).toHaveLength(1);
  return lines[0];
};

const call = async (method: string, path: string, json?: object, token?: string) =>
  setup.gateway.rest(method, path, { token: token ?? (await setup.sign()), ...(json && { json }) });

it.each<[method: string, path: string, status: number, json?: object]>([
  ['GET', '/auth/private-key', 200],
  ['POST', '/auth/private-key', 201, { private_key: '1'.padStart(64, '0') }],
  ['DELETE', '/auth/private-key', 200],
  ['GET', '/automation/settings', 200],
  ['PUT', '/automation/settings', 200, { is_enabled: true }],
  ['GET', '/auth/keys', 200],
  ['POST', '/auth/keys', 201, {}],
  ['GET', '/auth/keys/default', 200],
  ['GET', '/auth/keys/<active>', 200],
  ['GET', '/auth/keys/1', 404],
  ['PATCH', '/auth/keys/<active>', 200, { name: 'x' }],
  ['DELETE', '/auth/keys/<active>', 200],
  ['DELETE', '/auth/keys/99', 404],
  ['PUT', '/auth/keys/<active>/default', 200],
  ['PUT', '/auth/keys/<inactive>/default', 409],
  ['POST', '/auth/keys/<active>/rotate', 200, {}],
  ['POST', '/auth/keys/<inactive>/rotate', 409, {}],
])("the log line of %s %s with status %i has the caller's account", async (method, path, status, json) => {
  const filled = path.replace('<active>', `${active}`).replace('<inactive>', `${inactive}`);
  expect(await lineOf(call(method, filled, json), status)).toMatchObject({ accountId: alice });
});

it("the log line of GET /audit-events has the caller's account", async () => {
  await setup.gateway.rest('PATCH', `/auth/keys/${active}`, {
    token: await setup.sign(),
    json: { name: 'x' },
  });
  const { body } = await setup.gateway.rest('GET', '/audit-events', { token: await setup.sign() });
  expect(body).toMatchObject([{ action: 'api-key-renamed' }]);
  expect(setup.gateway.log().at(-1)).toMatchObject({ msg: 'request', accountId: alice });
});

it('the log line of a verification of an unknown key has no account', async () => {
  const token = await setup.sign({ scope: keyVerifier.join(' ') });
  const key = `sk-a1b2c3.${'0'.repeat(64)}`;
  expect(await lineOf(call('POST', '/keys/verify', { key }, token), 200)).not.toHaveProperty('accountId');
});

it.each(['/auth/private-key', '/auth/keys', '/auth/keys/default', '/automation/settings'])(
  'the log line of GET %s has no account for a caller without one',
  async (path) => {
    const token = await setup.sign({ sub: 'carol' });
    expect(await lineOf(call('GET', path, undefined, token), 200)).not.toHaveProperty('accountId');
  },
);

it("the log line of a GraphQL request with several fields has the caller's account", async () => {
  const query =
    '{ auditEvents { edges { node { id } } } privateKeyStatus { hasKey } apiKeys { edges { cursor } } }';
  const answer = setup.gateway.graphql(query, { token: await setup.sign() });
  expect(await lineOf(answer, 200)).toMatchObject({ accountId: alice });
});
