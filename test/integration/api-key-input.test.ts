import { describe, expect, it } from 'vitest';
import { type Answer, createTestGateway } from '../support/gateway.ts';
import { createApiKeys, everything, everythingTold } from '../support/key-suite.ts';
import { issuesOf, setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const create = (json: object) => setup.call('POST', '/auth/keys', json);
const update = (json: object, id = 1) => setup.call('PATCH', `/auth/keys/${id}`, json);

/** Both requests that give a key its members. */
const requests: [string, (json: object) => Promise<Answer>][] = [
  ['POST /auth/keys', create],
  ['PATCH /auth/keys/1', update],
];

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `documents.d${index}`);

/** Permissions, addresses and metadata that have so many bytes together, as JSON. */
const together = (bytes: number) => {
  const permissions = Array.from({ length: 30 }, (_, index) => `documents.${index}.`.padEnd(95, 'x'));
  const allowed_addresses = ['192.0.2.0/24'];
  const rest = bytes - JSON.stringify(permissions).length - JSON.stringify(allowed_addresses).length;
  return { permissions, allowed_addresses, metadata: { note: 'y'.repeat(rest - '{"note":""}'.length) } };
};

describe.each(requests)('%s', (_request, call) => {
  it('permissions, addresses and metadata of 4096 bytes together → accepted, of 4097 → 422', async () => {
    await createApiKeys(setup);
    expect((await call(together(4096))).status).toBeOneOf([200, 201]);
    const before = await setup.stored();
    const refused = await call(together(4097));
    const msg =
      'Permissions, allowed addresses and metadata must have at most 4096 bytes together, as JSON. These have 4097.';
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body'], msg, type: 'too_long' }] },
    });
    expect(await setup.stored()).toEqual(before);
  });

  it('everything that a key can have → accepted, and a read shows it', async () => {
    await createApiKeys(setup);
    const { body } = await call(everything);
    expect(body).toMatchObject(everythingTold);
    const read = await setup.call('GET', `/auth/keys/${body.id}`);
    expect(read.body).toMatchObject(everythingTold);
    const list = await setup.call('GET', '/auth/keys');
    expect(list.body).toContainEqual(read.body);
  });

  it.each<[part: string, given: unknown, told?: unknown]>([
    ['description', 'a'],
    ['description', '  Line\r\nand line\t', 'Line\r\nand line'],
    ['description', '😀'.repeat(500)],
    ['permissions', []],
    ['permissions', ['*']],
    ['permissions', ['a'.repeat(100)]],
    ['permissions', namesOf(50)],
    ['metadata', {}],
    ['metadata', JSON.parse('{"__proto__":{"constructor":1},"toString":2}')],
    ['metadata', { a: 'x'.repeat(2040) }],
    ['metadata', { a: 'é'.repeat(1020) }],
    ['metadata', Object.fromEntries(namesOf(50).map((name) => [name, 0]))],
    ['metadata', { a: 2 ** 53, b: -0.5, c: 1e300, d: false, e: null }],
    ['metadata', JSON.parse(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`)],
    ['allowed_addresses', ['0.0.0.0/0', '::/0']],
    ['allowed_addresses', ['::1']],
    ['allowed_addresses', namesOf(50).map((_, index) => `10.0.0.${index}`)],
    ['rate_limit', { limit: 1, window_seconds: 1 }],
    ['rate_limit', { limit: 1e6, window_seconds: 86_400 }],
    ['quota', { limit: 0, refill: 'never' }, { limit: 0, refill: 'never', remaining: 0, refills_at: null }],
    [
      'quota',
      { limit: 1e9, refill: 'never' },
      { limit: 1e9, refill: 'never', remaining: 1e9, refills_at: null },
    ],
  ])('%s: %j → accepted', async (part, value, told = value) => {
    await createApiKeys(setup);
    const { status, body } = await call({ [part]: value });
    expect(status).toBeOneOf([200, 201]);
    expect(JSON.stringify(body[part])).toBe(JSON.stringify(told));
  });

  it.each<[object, string, string]>([
    [{ name: '' }, 'name', 'string_too_short'],
    [{ name: ' \r\n\u00a0' }, 'name', 'string_too_short'],
    [{ name: 'a'.repeat(101) }, 'name', 'string_too_long'],
    [{ name: '😀'.repeat(101) }, 'name', 'string_too_long'],
    [{ name: 'a\u0000b' }, 'name', 'value_error'],
    [{ name: 'a\ud83d' }, 'name', 'string_unicode'],
    [{ name: 7 }, 'name', 'string_type'],
    [{ name: ['Desk'] }, 'name', 'string_type'],
    [{ description: '' }, 'description', 'string_too_short'],
    [{ description: ' \n' }, 'description', 'string_too_short'],
    [{ description: 'a'.repeat(501) }, 'description', 'string_too_long'],
    [{ description: 'a\0' }, 'description', 'value_error'],
    [{ description: '\udc00' }, 'description', 'string_unicode'],
    [{ permissions: namesOf(51) }, 'permissions', 'too_long'],
    [{ permissions: ['a'.repeat(101)] }, '0', 'string_pattern_mismatch'],
    [{ permissions: ['a', ''] }, '1', 'string_pattern_mismatch'],
    [{ permissions: ['Documents.read'] }, '0', 'string_pattern_mismatch'],
    [{ permissions: ['documents read'] }, '0', 'string_pattern_mismatch'],
    [{ permissions: ['ä'] }, '0', 'string_pattern_mismatch'],
    [{ permissions: ['a\n'] }, '0', 'string_pattern_mismatch'],
    [{ permissions: ['a', 'b', 'a'] }, 'permissions', 'value_error'],
    [{ permissions: [null] }, '0', 'string_type'],
    [{ permissions: ['a', 7] }, '1', 'string_type'],
    [{ permissions: { 0: 'a' } }, 'permissions', 'list_type'],
    [{ metadata: { a: 'x'.repeat(2041) } }, 'metadata', 'too_long'],
    [{ metadata: { a: 'é'.repeat(1021) } }, 'metadata', 'too_long'],
    [{ metadata: Object.fromEntries(namesOf(51).map((name) => [name, 0])) }, 'metadata', 'too_long'],
    [{ metadata: [] }, 'metadata', 'dict_type'],
    [{ metadata: 'plan' }, 'metadata', 'dict_type'],
    [{ metadata: { a: [{ b: '\0' }] } }, 'metadata', 'value_error'],
    [{ metadata: { '\0': 1 } }, 'metadata', 'value_error'],
    [{ metadata: { a: '\ud800' } }, 'metadata', 'string_unicode'],
    [{ metadata: { a: { '\udc00': 1 } } }, 'metadata', 'string_unicode'],
    [{ metadata: JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`) }, 'metadata', 'value_error'],
    [{ allowed_addresses: ['10.0.0.0/33'] }, '0', 'value_error'],
    [{ allowed_addresses: ['::1/129'] }, '0', 'value_error'],
    [{ allowed_addresses: ['10.0.0.1', '10.0.0'] }, '1', 'value_error'],
    [{ allowed_addresses: ['010.0.0.1'] }, '0', 'value_error'],
    [{ allowed_addresses: ['10.0.0.1/'] }, '0', 'value_error'],
    [{ allowed_addresses: ['10.0.0.1/8/8'] }, '0', 'value_error'],
    [{ allowed_addresses: ['fe80::1%eth0'] }, '0', 'value_error'],
    [{ allowed_addresses: ['loopback'] }, '0', 'value_error'],
    [{ allowed_addresses: ['example.com'] }, '0', 'value_error'],
    [{ allowed_addresses: [' 10.0.0.1'] }, '0', 'value_error'],
    [{ allowed_addresses: ['::1', '::1'] }, 'allowed_addresses', 'value_error'],
    [
      { allowed_addresses: namesOf(51).map((_, index) => `10.0.0.${index}`) },
      'allowed_addresses',
      'too_long',
    ],
    [{ rate_limit: { limit: 0, window_seconds: 60 } }, 'limit', 'greater_than_equal'],
    [{ rate_limit: { limit: -1, window_seconds: 60 } }, 'limit', 'greater_than_equal'],
    [{ rate_limit: { limit: 1_000_001, window_seconds: 60 } }, 'limit', 'less_than_equal'],
    [{ rate_limit: { limit: 1, window_seconds: 0 } }, 'window_seconds', 'greater_than_equal'],
    [{ rate_limit: { limit: 1, window_seconds: 86_401 } }, 'window_seconds', 'less_than_equal'],
    [{ rate_limit: { limit: 2 ** 31, window_seconds: 60 } }, 'limit', 'int_parsing_size'],
    [{ rate_limit: { limit: 1.5, window_seconds: 60 } }, 'limit', 'int_from_float'],
    [{ rate_limit: { limit: '1', window_seconds: 60 } }, 'limit', 'int_type'],
    [{ rate_limit: { limit: 1 } }, 'window_seconds', 'missing'],
    [{ rate_limit: { limit: 1, window_seconds: null } }, 'window_seconds', 'int_type'],
    [{ rate_limit: { limit: 1, window_seconds: 60, burst: 5 } }, 'burst', 'extra_forbidden'],
    [{ rate_limit: 7 }, 'rate_limit', 'dict_type'],
    [{ rate_limit: [] }, 'rate_limit', 'dict_type'],
    [{ quota: { limit: -1, refill: 'never' } }, 'limit', 'greater_than_equal'],
    [{ quota: { limit: 1_000_000_001, refill: 'never' } }, 'limit', 'less_than_equal'],
    [{ quota: { limit: 2 ** 31, refill: 'never' } }, 'limit', 'int_parsing_size'],
    [{ quota: { limit: 1 } }, 'refill', 'missing'],
    [{ quota: { limit: 1, refill: 'hourly' } }, 'refill', 'enum'],
    [{ quota: { limit: 1, refill: 7 } }, 'refill', 'enum'],
    [{ expires_at: '2020-01-31T12:00:00Z' }, 'expires_at', 'datetime_future'],
    [{ expires_at: '1970-01-01T00:00:00Z' }, 'expires_at', 'datetime_future'],
    [{ expires_at: '2099-01-31T12:00:00' }, 'expires_at', 'timezone_aware'],
    [{ expires_at: '2099-02-30T12:00:00Z' }, 'expires_at', 'datetime_parsing'],
    [{ expires_at: 'tomorrow' }, 'expires_at', 'datetime_parsing'],
    [{ expires_at: '' }, 'expires_at', 'datetime_parsing'],
    [{ expires_at: 4_073_500_800_000 }, 'expires_at', 'datetime_parsing'],
  ])('%j → 422: %s is %s', async (input, place, type) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const answer = await call(input);
    expect([answer.status, issuesOf(answer)]).toEqual([422, [[place, type]]]);
    expect(await setup.stored()).toEqual(before);
  });
});

describe('metadata nested 30,000 deep', () => {
  const nested = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;

  it.each([
    ['POST', '/api/v1/auth/keys', `{"metadata":${nested}}`, 422],
    ['PATCH', '/api/v1/auth/keys/1', `{"metadata":${nested}}`, 422],
    [
      ...['POST', '/graphql'],
      `{"query":"mutation ($m: JSONObject) { createApiKey(metadata: $m) { key } }","variables":{"m":${nested}}}`,
      400,
    ],
  ] as [string, string, string, number][])('%s %s → refused', async (method, path, body, status) => {
    await createApiKeys(setup);
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const answer = await setup.gateway.fetch(method, path, { token: await setup.sign(), headers, body });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('Must be nested at most 32 deep.');
  });
});

describe('the permissions that the operator has listed', () => {
  const known = { apiKeyPermissions: ['documents.read', 'users.me.read'] };

  it.each([
    [['documents.read'], undefined],
    [['*', 'documents.*', 'users.*', 'users.me.*'], undefined],
    [['documents.write'], 'permissions.0'],
    [['documents.read', 'documents'], 'permissions.1'],
    [['document.*'], 'permissions.0'],
    [['documents.read.*'], 'permissions.0'],
    [['documents*'], 'permissions.0'],
  ])('are the only ones a key may have: %j', async (permissions, place) => {
    await using gateway = await createTestGateway(setup.issuer, known);
    const token = await setup.sign();
    const made = await gateway.rest('POST', '/auth/keys', { token, json: {} });
    for (const [method, path] of [
      ['POST', '/auth/keys'],
      ['PATCH', `/auth/keys/${made.body.id}`],
    ] as const) {
      const { status, body } = await gateway.rest(method, path, { token, json: { permissions } });
      if (place) expect([status, body.detail[0].loc.slice(1).join('.')]).toEqual([422, place]);
      else expect(body.permissions).toEqual(permissions);
    }
  });
});
