import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { noParts, noPartsInGraphQL, partsSelection } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `mutation ($keyId: Int!) {
  deactivateApiKey(keyId: $keyId) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection}
  }
}`;

const rest = async (id: string | number, claims = {}): Promise<Answer> =>
  setup.gateway.rest('DELETE', `/auth/keys/${id}`, { token: await setup.sign(claims) });

const graphql = async (keyId: unknown, accept = 'application/graphql-response+json', claims = {}) =>
  setup.gateway.graphql(query, {
    token: await setup.sign(claims),
    headers: { accept },
    variables: { keyId },
  });

/** Keys 1 (alice's default key), 2 (alice's) and 3 (bob's), all active. */
const createApiKeys = async () => {
  const alice = await setup.gateway.createAccount('alice');
  const bob = await setup.gateway.createAccount('bob');
  await setup.gateway.createApiKey(alice, { isDefault: true });
  await setup.gateway.createApiKey(alice, { name: null });
  await setup.gateway.createApiKey(bob);
};

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

const apiKey = {
  id: 1,
  keyPrefix: 'sk-a1b2c3',
  name: 'Laptop',
  createdAt: '2026-01-31T12:00:00.000Z',
  isActive: false,
  isDefault: true,
  encryptedKey: null,
  encryptionVersion: 1,
  expiresAt: null,
  deactivatedAt: record.deactivated_at,
  previousWorksUntil: null,
  lastUsedAt: null,
  ...noPartsInGraphQL,
};

describe('200 over REST', () => {
  it('answers the record, all of its fields, now inactive', async () => {
    await createApiKeys();
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

  it('answers nulls and a sealed key as they are stored', async () => {
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(account, {
      name: null,
      encryptedKey: 'a..b.c.d',
      encryptionVersion: 3,
    });
    const sealed = { name: null, is_default: false, encrypted_key: 'a..b.c.d', encryption_version: 3 };
    expect((await rest(1)).body).toEqual({ ...record, ...sealed });
  });

  it('answers a repetition with the same body, and changes nothing', async () => {
    await createApiKeys();
    const first = await rest(1);
    const stored = await setup.stored();
    const second = await rest(1);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(await setup.stored()).toEqual(stored);
  });

  it('ignores a Content-Type where there is no body', async () => {
    await createApiKeys();
    const headers = { 'content-type': 'application/json' };
    const answer = await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign(), headers });
    expect(answer).toMatchObject({ status: 200, body: record });
  });

  it('takes the id from the path alone', async () => {
    await createApiKeys();
    const answer = await setup.gateway.rest('DELETE', '/auth/keys/1?key_id=2&keyId=2', {
      token: await setup.sign(),
      json: { key_id: 2, keyId: 2 },
    });
    expect(answer).toMatchObject({ status: 200, body: record });
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 0 }, { is_active: 1 }, {}]);
  });

  it('makes one transition of 100 at once, and answers all of them', async () => {
    await createApiKeys();
    const answers = await Promise.all(Array.from({ length: 100 }, () => rest(1)));
    expect(answers[0]).toMatchObject({ status: 200, body: record });
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(transitions()).toHaveLength(1);
  });
});

describe('200 over GraphQL', () => {
  it.each(['application/graphql-response+json', 'application/json'])(
    'answers the record as %s',
    async (accept) => {
      await createApiKeys();
      const answer = await graphql(1, accept);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      expect(answer.body).toEqual({ data: { deactivateApiKey: apiKey } });
      expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 0 }, { is_active: 1 }, {}]);
    },
  );

  it('answers a repetition with the same body, and changes nothing', async () => {
    await createApiKeys();
    const first = await graphql(1);
    const stored = await setup.stored();
    const second = await graphql(1);
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(await setup.stored()).toEqual(stored);
  });
});

describe('the business event', () => {
  it.each([
    ['REST', rest],
    ['GraphQL', (id: number) => graphql(id)],
  ])('is logged over %s for the transition, and not for what changes nothing', async (_name, deactivate) => {
    await createApiKeys();
    for (const id of [1, 1, 3, 99]) await deactivate(id);
    expect(transitions()).toEqual([expect.objectContaining({ accountId: 1, keyId: 1 })]);
  });
});

describe('404', () => {
  const notFound = '{"detail":"API key not found"}';

  it("is the same for another's key, a missing one and somebody who was never seen", async () => {
    await createApiKeys();
    const before = await setup.stored();
    const answers = [
      await rest(3),
      await rest(99),
      await rest(1, { sub: 'carol' }),
      await rest(99, { sub: 'carol' }),
    ];
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(4).fill([404, notFound]));
    const headers = answers.map((answer) =>
      [...answer.headers].filter(([name]) => name !== 'x-request-id').toSorted(),
    );
    expect(headers).toEqual(Array(4).fill(headers[0]));
    expect(await setup.stored()).toEqual(before);
    expect(transitions()).toEqual([]);
  });

  it('is the same for the same subject of another issuer', async () => {
    await createApiKeys();
    await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
    const before = await setup.stored();
    expect(await rest(1)).toMatchObject({ status: 404, text: notFound });
    expect(await setup.stored()).toEqual(before);
  });

  it.each([0, -1, -2147483648, 2147483647])(
    'is what a well-formed id gets that no key has: %s',
    async (id) => {
      await createApiKeys();
      expect(await rest(id)).toMatchObject({ status: 404, text: notFound });
    },
  );

  it.each([
    ['application/graphql-response+json', 404],
    ['application/json', 200],
  ])('is NOT_FOUND over GraphQL, as %s with status %i', async (accept, status) => {
    await createApiKeys();
    const before = await setup.stored();
    const answers = [
      await graphql(3, accept),
      await graphql(99, accept),
      await graphql(0, accept),
      await graphql(-1, accept),
      await graphql(1, accept, { sub: 'carol' }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual(Array(5).fill(status));
    expect(answers[0]?.body).toMatchObject({
      data: null,
      errors: [
        { message: 'API key not found', path: ['deactivateApiKey'], extensions: { code: 'NOT_FOUND' } },
      ],
    });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await setup.stored()).toEqual(before);
  });
});

describe('422 over REST', () => {
  it.each([
    ['abc', 'int_parsing'],
    ['0x10', 'int_parsing'],
    ['1e3', 'int_parsing'],
    ['01', 'int_parsing'],
    ['%20', 'int_parsing'],
    ['-0', 'int_parsing'],
    ['1.5', 'int_parsing'],
    ['1.0', 'int_parsing'],
    ['%00', 'int_parsing'],
    ['1%00', 'int_parsing'],
    ['%D9%A1', 'int_parsing'],
    ['\u0661', 'int_parsing'],
    ['%ZZ', 'int_parsing'],
    ['%', 'int_parsing'],
    ['%FF', 'int_parsing'],
    ['health', 'int_parsing'],
    ['+1', 'int_parsing'],
    ['1%20', 'int_parsing'],
    ['1%0A', 'int_parsing'],
    ['1%2F2', 'int_parsing'],
    ['1,2', 'int_parsing'],
    ['--1', 'int_parsing'],
    ['null', 'int_parsing'],
    ['NaN', 'int_parsing'],
    ['2147483648', 'int_parsing_size'],
    ['-2147483649', 'int_parsing_size'],
    ['99999999999999999999', 'int_parsing_size'],
  ])('says where and what is wrong with %s', async (id, type) => {
    await createApiKeys();
    const before = await setup.stored();
    const answer = await rest(id);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [{ loc: ['path', 'key_id'], msg: expect.stringMatching(/^Must be .*integer/), type }],
    });
    expect(await setup.stored()).toEqual(before);
  });

  it('says the same of an id that no number type holds', async () => {
    const { body } = await rest('9'.repeat(400));
    expect(body.detail).toMatchObject([{ loc: ['path', 'key_id'], type: 'int_parsing_size' }]);
  });

  it.each(['abc', '%ZZ', '2147483648', 'health'])('is not answered to a stranger: %s', async (id) => {
    const answer = await setup.gateway.rest('DELETE', `/auth/keys/${id}`);
    expect(answer).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
  });

  it('is not answered to somebody who lacks a scope', async () => {
    expect((await rest('abc', { scope: 'openid' })).status).toBe(403);
  });
});

describe('BAD_USER_INPUT over GraphQL', () => {
  it.each([
    ['abc', 'int_type'],
    ['1', 'int_type'],
    [true, 'int_type'],
    [null, 'int_type'],
    [[1, 2], 'int_type'],
    [{}, 'int_type'],
    [undefined, 'missing'],
    [1.5, 'int_from_float'],
    [2147483648, 'int_parsing_size'],
    [-2147483649, 'int_parsing_size'],
    [1e20, 'int_parsing_size'],
  ])('says where and what is wrong with the variable %j', async (keyId, type) => {
    await createApiKeys();
    const before = await setup.stored();
    const issues = [{ path: ['keyId'], message: expect.any(String), type }];
    const answers = [await graphql(keyId), await graphql(keyId, 'application/json')];
    for (const { body } of answers) {
      expect(body.data).toBeUndefined();
      expect(body.errors).toEqual([
        { message: expect.any(String), extensions: { code: 'BAD_USER_INPUT', issues } },
      ]);
    }
    // A variable of the wrong type is a request error: 400 is what GraphQL over HTTP has for it.
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    expect(await setup.stored()).toEqual(before);
  });

  it.each(['"1"', '1.5', '2147483648', 'true', 'null', '01'])('refuses the literal %s', async (literal) => {
    await createApiKeys();
    const before = await setup.stored();
    const document = `mutation { deactivateApiKey(keyId: ${literal}) { id } }`;
    const answer = await setup.gateway.graphql(document, { token: await setup.sign() });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors).not.toEqual([]);
    expect(await setup.stored()).toEqual(before);
  });

  it('is not answered to a stranger', async () => {
    const answer = await setup.gateway.graphql(query, { variables: { keyId: 'abc' } });
    expect(answer.status).toBe(401);
    expect(answer.body.errors).toEqual([
      { message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });
});
