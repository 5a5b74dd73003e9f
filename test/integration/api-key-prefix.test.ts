import { expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({ apiKeyPrefix: 'acme_live_' });

const form = /^acme_live_[a-z0-9]{6}\.[0-9a-f]{64}$/;

const verify = async (key: string): Promise<boolean> => {
  const token = await setup.sign({ scope: 'keys.verify' });
  return (await setup.gateway.rest('POST', '/keys/verify', { token, json: { key } })).body.valid;
};

it('new keys and new secrets of old keys begin with the configured prefix, in REST and GraphQL', async () => {
  const token = await setup.sign();
  const rest = await setup.gateway.rest('POST', '/auth/keys', { token, json: {} });
  const { body } = await setup.gateway.graphql('mutation { createApiKey { key apiKey { keyPrefix } } }', {
    token,
  });
  const { key, apiKey } = body.data.createApiKey;
  const account = (await setup.gateway.rows('account'))[0]?.['id'] as never;
  const old = await setup.gateway.createVerifiableKey(account);
  const rotated = await setup.gateway.rest('POST', `/auth/keys/${old.id}/rotate`, {
    token,
    json: { grace_seconds: 60 },
  });
  const made = [rest.body, { key, key_prefix: apiKey.keyPrefix }, rotated.body];
  for (const each of made) {
    expect(each.key).toMatch(form);
    expect(each.key_prefix).toBe(each.key.slice(0, each.key.indexOf('.')));
    expect(each.key_prefix).toHaveLength('acme_live_'.length + 6);
    expect(await verify(each.key)).toBe(true);
  }
  // Its former secret was made under the prefix of before.
  expect(old.secret).toMatch(/^sk-/);
  expect(await verify(old.secret)).toBe(true);
});

it('keys made under another prefix stay valid', async () => {
  const account = await setup.gateway.createAccount('alice');
  for (const prefix of ['sk-', 'acme_', 'k2-']) {
    const id = await setup.gateway.createApiKey(account);
    const secret = createApiKeySecret(prefix);
    await setup.gateway.addSecret(id, secret);
    expect(await verify(secret)).toBe(true);
    const itself = await setup.gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': secret } });
    expect(itself.body).toMatchObject({ id });
  }
});

it('operators find keys with the configured prefix', async () => {
  const token = await setup.sign();
  const { body } = await setup.gateway.rest('POST', '/auth/keys', { token, json: {} });
  const operator = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  for (const json of [{ key_prefix: body.key_prefix }, { key: body.key }]) {
    const found = await setup.gateway.rest('POST', '/admin/keys/find', { token: operator, json });
    expect(found.body).toMatchObject([{ key_id: body.id, key_prefix: body.key_prefix }]);
  }
});

it.each([
  ['without a checksum', `acme_live_a1b2c3.${'0'.repeat(64)}`],
  ['of a prefix that cannot be', `ACME_a1b2c3.${'0'.repeat(64)}`],
  ['of anything', 'acme_live_'],
])('a text %s → refused without asking the database', async (_what, text) => {
  const { sql } = await recordStatements(setup.gateway.database, async () => {
    const answer = await setup.gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': text } });
    expect(answer.status).toBe(401);
  });
  expect(sql).toEqual([]);
});
