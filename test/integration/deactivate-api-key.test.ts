import { describe, expect, it } from 'vitest';
import { createApiKeys, noParts } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const rest = (id: string | number, claims = {}) =>
  setup.call('DELETE', `/auth/keys/${id}`, undefined, claims);

const graphql = async (keyId: unknown, accept = 'application/graphql-response+json') =>
  setup.gateway.graphql('mutation ($keyId: Int!) { deactivateApiKey(keyId: $keyId) { id isActive } }', {
    token: await setup.sign(),
    headers: { accept },
    variables: { keyId },
  });

const transitions = () => setup.gateway.log().filter(({ event }) => event === 'api-key-deactivated');

const record = {
  id: 1,
  key_prefix: 'sk-a1b2c3',
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  is_active: false,
  is_default: true,
  encrypted_key: null,
  encryption_version: 1,
  expires_at: null,
  deactivated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  previous_works_until: null,
  last_used_at: null,
  ...noParts,
};

describe('over REST', () => {
  it('the whole record, now inactive', async () => {
    await createApiKeys(setup);
    const answer = await rest(1);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(record);
    expect(Object.keys(answer.body)).toEqual(Object.keys(record));
    expect(await setup.gateway.rows('api_key')).toMatchObject([
      { id: 1, is_active: 0, is_default: 1 },
      { id: 2, is_active: 1 },
      { id: 3, is_active: 1 },
    ]);
  });

  it('nulls and a sealed key as they are stored', async () => {
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(account, {
      name: null,
      encryptedKey: 'a..b.c.d',
      encryptionVersion: 3,
    });
    const sealed = { name: null, is_default: false, encrypted_key: 'a..b.c.d', encryption_version: 3 };
    expect((await rest(1)).body).toEqual({ ...record, ...sealed });
  });

  it('a second time → the same body, and nothing changes', async () => {
    await createApiKeys(setup);
    const first = await rest(1);
    const stored = await setup.stored();
    const second = await rest(1);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(await setup.stored()).toEqual(stored);
  });

  it('a Content-Type without a body → ignored', async () => {
    await createApiKeys(setup);
    const headers = { 'content-type': 'application/json' };
    const answer = await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign(), headers });
    expect(answer).toMatchObject({ status: 200, body: record });
  });

  it('ids in the query string and the body → ignored', async () => {
    await createApiKeys(setup);
    const answer = await setup.gateway.rest('DELETE', '/auth/keys/1?key_id=2&keyId=2', {
      token: await setup.sign(),
      json: { key_id: 2, keyId: 2 },
    });
    expect(answer).toMatchObject({ status: 200, body: record });
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 0 }, { is_active: 1 }, {}]);
  });

  it('100 at once → one transition, and the same answer for all', async () => {
    await createApiKeys(setup);
    const answers = await Promise.all(Array.from({ length: 100 }, () => rest(1)));
    expect(answers[0]).toMatchObject({ status: 200, body: record });
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(transitions()).toHaveLength(1);
  });
});

describe('over GraphQL', () => {
  it.each(['application/graphql-response+json', 'application/json'])('the record as %s', async (accept) => {
    await createApiKeys(setup);
    const answer = await graphql(1, accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    expect(answer.body).toEqual({ data: { deactivateApiKey: { id: 1, isActive: false } } });
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 0 }, { is_active: 1 }, {}]);
  });

  it.each([
    ['application/graphql-response+json', 404],
    ['application/json', 200],
  ])('an unknown id → NOT_FOUND, as %s with status %i', async (accept, status) => {
    const answer = await graphql(99, accept);
    expect(answer.status).toBe(status);
    const extensions = { code: 'NOT_FOUND' };
    expect(answer.body).toMatchObject({
      data: null,
      errors: [{ message: 'API key not found', path: ['deactivateApiKey'], extensions }],
    });
  });

  it.each([
    ['application/graphql-response+json', 400],
    ['application/json', 200],
  ])('a variable of the wrong type → BAD_USER_INPUT without data, as %s with status %i', async (...row) => {
    const [accept, status] = row;
    const answer = await graphql('abc', accept);
    expect(answer.status).toBe(status);
    const issues = [{ path: ['keyId'], message: expect.any(String), type: 'int_type' }];
    const extensions = { code: 'BAD_USER_INPUT', issues };
    expect(answer.body).toEqual({ errors: [{ message: expect.any(String), extensions }] });
  });

  it.each(['"1"', '1.5', '2147483648', 'true', 'null', '01'])('the literal %s → 400', async (literal) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const document = `mutation { deactivateApiKey(keyId: ${literal}) { id } }`;
    const answer = await setup.gateway.graphql(document, { token: await setup.sign() });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors).not.toEqual([]);
    expect(await setup.stored()).toEqual(before);
  });
});

it('one business event for the transition, and none if nothing changes', async () => {
  await createApiKeys(setup);
  for (const id of [1, 1, 3, 99]) await rest(id);
  expect(transitions()).toEqual([expect.objectContaining({ accountId: 1, keyId: 1 })]);
});

it("the 404 for another's key has the body and headers of the 404 for an unknown id", async () => {
  await createApiKeys(setup);
  const answers = [await rest(3), await rest(99), await rest(1, { sub: 'carol' })];
  const shown = answers.map(({ status, text, headers }) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => name !== 'x-request-id').toSorted(),
  }));
  expect(shown[0]).toMatchObject({ status: 404, text: '{"detail":"API key not found"}' });
  expect(shown).toEqual(Array(3).fill(shown[0]));
});

it.each(['abc', '%ZZ', '2147483648', 'health'])('the id %s without a token → 401', async (id) => {
  const answer = await setup.gateway.rest('DELETE', `/auth/keys/${id}`);
  expect(answer).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
});

it('a bad id and a missing scope → 403', async () => {
  expect((await rest('abc', { scope: 'openid' })).status).toBe(403);
});
