import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { dropDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const postgres = inject('postgresUrl') !== undefined;
const path = '/keys/authorize';

const problem = (status: number, title: string, detail: string, reason?: string) => ({
  title,
  status,
  detail,
  ...(reason !== undefined && { reason }),
});

/** The bodies of refusals (RFC 9457). */
const problems = {
  noKey: problem(401, 'Unauthorized', 'Not authenticated', 'no_api_key'),
  wrongKey: problem(401, 'Unauthorized', 'Could not validate credentials', 'invalid_api_key'),
  address: problem(403, 'Forbidden', 'The API key may not be used from this address', 'address_not_allowed'),
  unavailable: problem(503, 'Service Unavailable', 'Service Unavailable'),
};

let alice: AccountId | undefined;
beforeEach(() => {
  alice = undefined;
});

const createKey = async (values = {}) => {
  alice ??= await setup.gateway.createAccount('alice');
  return setup.gateway.createVerifiableKey(alice, values);
};

const ask = (headers: Record<string, string>, method = 'GET', target = path) =>
  setup.gateway.rest(method, target, { headers });

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('200', () => {
  it('a valid key → its owner, in headers only', async () => {
    const { id, secret } = await createKey();
    const answer = await ask(bearer(secret));
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('x-keyward-user')).toBe('1');
    expect(answer.headers.get('x-keyward-key')).toBe(`${id}`);
    // There, so that it replaces what a client sent.
    expect(answer.headers.get('x-keyward-permissions')).toBe('');
    expect(answer.headers.get('x-keyward-plan')).toBe('');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each<[string, (secret: string) => Record<string, string>]>([
    ['X-API-Key', (secret) => ({ 'x-api-key': secret })],
    ['both, alike', (secret) => ({ ...bearer(secret), 'x-api-key': secret })],
    ['X-API-Key beside another scheme', (secret) => ({ authorization: 'Basic eDp5', 'x-api-key': secret })],
    ['bearer in small letters', (secret) => ({ authorization: `bearer ${secret}` })],
    ['bearer and more spaces', (secret) => ({ authorization: `Bearer   ${secret}` })],
  ])('takes the key from %s', async (_what, headers) => {
    const { secret } = await createKey();
    expect((await ask(headers(secret))).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'the method %s → accepted',
    async (method) => {
      const { secret } = await createKey();
      expect(await ask(bearer(secret), method)).toMatchObject({ status: 200, text: '' });
      expect((await ask({}, method)).status).toBe(401);
    },
  );

  it.each(['/', '/v1/things', '/keys/authorize', '/a%2Fb%ZZ?key=x', '?path=/'])(
    'a proxy appends %s to the path → accepted',
    async (appended) => {
      const { secret } = await createKey();
      expect((await ask(bearer(secret), 'GET', path + appended)).status).toBe(200);
    },
  );

  it('a body → ignored', async () => {
    const { secret } = await createKey();
    for (const body of ['{', 'x'.repeat(70_000)]) {
      const answer = await setup.gateway.rest('POST', path, { headers: bearer(secret), body });
      expect(answer.status).toBe(200);
    }
  });

  it('a longer path → not answered', async () => {
    const { secret } = await createKey();
    expect((await ask(bearer(secret), 'GET', `${path}d`)).status).toBe(404);
  });
});

describe('with API_KEY_HEADER', () => {
  const withHeader = async () => {
    const gateway = await createTestGateway(setup.issuer, { edge: { apiKeyHeader: 'Acme-Key' } });
    const { id, secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const at = (target: string, headers: Record<string, string>, method = 'GET') =>
      gateway.rest(method, target, { headers });
    return { gateway, id, secret, at, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
  };

  it.each(['/keys/authorize', '/keys/self'])('%s reads the key from that header only', async (target) => {
    await using own = await withHeader();
    const { secret } = own;
    const token = { authorization: 'Bearer a-token-of-the-api' };
    for (const headers of [{ 'acme-key': secret }, { 'acme-key': ` ${secret} `, ...token }])
      expect((await own.at(target, { ...headers, 'x-api-key': 'x' })).status).toBe(200);
    for (const headers of [bearer(secret), { 'x-api-key': secret }, {}]) {
      const refused = await own.at(target, headers);
      expect([refused.status, refused.body.detail]).toEqual([401, 'Not authenticated']);
      expect(refused.headers.get('www-authenticate')).toBe('ApiKey realm="api"');
    }
    const wrong = await own.at(target, { ...bearer(secret), 'acme-key': createApiKeySecret() });
    expect([wrong.status, wrong.body.detail]).toEqual([401, 'Could not validate credentials']);
    expect(wrong.headers.get('www-authenticate')).toBe('ApiKey realm="api"');
    expect((await own.at(target, { 'acme-key': `${secret}, ${secret}` })).status).toBe(401);
  });

  it('a missing permission → a challenge without `error`', async () => {
    await using own = await withHeader();
    const headers = { 'acme-key': own.secret, 'x-keyward-require': 'documents.read' };
    const refused = await own.at('/keys/authorize', headers);
    expect(refused).toMatchObject({ status: 403, body: { reason: 'insufficient_permissions' } });
    expect(refused.headers.get('www-authenticate')).toBe('ApiKey realm="api"');
  });

  it('the API description names that header, and no bearer token', async () => {
    await using own = await withHeader();
    const { body } = await own.gateway.rest('GET', '/openapi.json');
    const schemes = body.components.securitySchemes;
    expect(schemes.ApiKeyHeader).toMatchObject({ in: 'header', name: 'Acme-Key' });
    expect(schemes).not.toHaveProperty('ApiKeyBearer');
    const { get } = body.paths['/api/v1/keys/authorize'];
    const { get: read, delete: end } = body.paths['/api/v1/keys/self'];
    for (const { security } of [get, read, end]) expect(security).toEqual([{ ApiKeyHeader: [] }]);
  });
});

describe('401', () => {
  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['a scheme that only begins alike', { authorization: 'Bearers x' }],
  ])('%s → a challenge without an error', async (_what, headers) => {
    const answer = await ask(headers);
    expect(answer).toMatchObject({ status: 401, body: problems.noKey });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  });

  const past = new Date('2026-01-01T00:00:00.000Z');
  it.each<[string, (secret: string) => Record<string, string>, object]>([
    ['an unknown key', () => bearer(createApiKeySecret()), {}],
    ['a word', () => bearer('x'), {}],
    ['no word', () => ({ authorization: 'Bearer' }), {}],
    ['an empty X-API-Key', () => ({ 'x-api-key': '' }), {}],
    ['more than a key', (secret) => bearer(`${secret} x`), {}],
    ['two keys', (secret) => ({ 'x-api-key': `${secret}, ${secret}` }), {}],
    ['two that differ', (secret) => ({ ...bearer(secret), 'x-api-key': createApiKeySecret() }), {}],
    ['two that differ, the other way', (secret) => ({ ...bearer('a.b.c'), 'x-api-key': secret }), {}],
    ['a good one beside an empty one', (secret) => ({ ...bearer(secret), 'x-api-key': '' }), {}],
    ['an inactive key', bearer, { isActive: false }],
    ['an expired key', bearer, { expiresAt: past }],
  ])('%s → the same answer as for any wrong key', async (_what, headers, values) => {
    const { secret } = await createKey(values);
    const answer = await ask(headers(secret));
    expect(answer).toMatchObject({ status: 401, body: problems.wrongKey });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"');
    expect(answer.headers.has('x-keyward-user')).toBe(false);
  });

  it('an access token instead of a key → 401', async () => {
    await createKey();
    expect((await ask(bearer(await setup.sign()))).status).toBe(401);
  });
});

describe('403', () => {
  const askFor = (secret: string, required: string, from = 'GET') =>
    ask({ ...bearer(secret), 'x-keyward-require': required }, from);

  it.each<[string[] | null, string, boolean]>([
    [['documents.read'], 'documents.read', true],
    [['documents.read'], ' documents.read ', true],
    [['documents.read'], 'documents.read, documents.read', true],
    [['documents.read', 'b'], 'documents.read b', true],
    [['documents.read', 'b'], 'documents.read,b', true],
    [['documents.read', 'b'], ',documents.read , b,', true],
    [['documents.*'], 'documents.read documents.write', true],
    [['*'], 'documents.read', true],
    [['documents.read'], 'documents.read documents.write', false],
    [['documents.read'], 'documents.read, documents.write', false],
    [['documents.read'], '*', false],
    [null, 'documents.read', false],
  ])('a key with %j, asked for %j → allowed: %s', async (held, required, passes) => {
    const { id, secret } = await createKey({ permissions: held && JSON.stringify(held) });
    const answer = await askFor(secret, required);
    if (passes) {
      expect(answer).toMatchObject({ status: 200, text: '' });
      expect(answer.headers.get('x-keyward-key')).toBe(`${id}`);
      const told = answer.headers.get('x-keyward-permissions');
      expect(told).toBe(required.match(/[^ ,]+/g)?.join(' '));
      return;
    }
    const names = required.replaceAll(',', '');
    const detail = `The API key needs the permissions: ${names}`;
    expect(answer).toMatchObject({ status: 403, body: { detail, reason: 'insufficient_permissions' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api", error="insufficient_scope"');
    expect(answer.headers.has('x-keyward-user')).toBe(false);
    expect(answer.headers.has('x-keyward-permissions')).toBe(false);
  });

  it('is a problem document (RFC 9457), also in a header, as documented', async () => {
    const { secret } = await createKey({ permissions: '["documents.read"]' });
    const answer = await askFor(secret, 'documents.write');
    const document = readFileSync(new URL('../../docs/forward-auth.md', import.meta.url), 'utf8');
    const [, documented] = /```json\n(.*?)\n```/s.exec(document) ?? [];
    expect(answer.text).toBe(documented);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-keyward-problem')).toBe(documented);
  });

  it('all permissions of several headers are required', async () => {
    const { secret } = await createKey({ permissions: '["documents.read"]' });
    const headers = new Headers(bearer(secret));
    headers.append('x-keyward-require', 'documents.read');
    headers.append('x-keyward-require', 'documents.write');
    const request = new Request(`http://keyward.test/api/v1${path}`, { headers });
    expect((await setup.gateway.gateway.fetch(request)).status).toBe(403);
  });

  const fiftyOne = Array.from({ length: 51 }, (_, index) => `name-${index}`);

  it.each([
    '',
    ' ',
    ',',
    'Documents.Read',
    'a Documents.Read',
    'a,b/c',
    'a/b',
    'é',
    '"a"',
    'a;b',
    'x'.repeat(101),
    fiftyOne.join(' '),
    `${'x'.repeat(91)} `.repeat(11),
  ])('the proxy asks for an invalid permission → any key is refused: %j', async (required) => {
    const { secret } = await createKey({ permissions: '["*"]' });
    const answer = await askFor(secret, Buffer.from(required).toString('latin1'));
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'X-Keyward-Require is not a list of permissions', reason: 'malformed_requirement' },
    });
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(setup.gateway.log()).toMatchObject([{ status: 403, reason: 'malformed-requirement' }]);
  });

  it('fifty permissions → allowed', async () => {
    const { secret } = await createKey({ permissions: '["*"]' });
    expect((await askFor(secret, fiftyOne.slice(1).join(' '))).status).toBe(200);
  });

  it("1000 characters of permissions → allowed, and the answer's headers stay below 2 kB", async () => {
    const { secret } = await createKey({ permissions: '["*"]' });
    const required = Array.from({ length: 10 }, () => 'x'.repeat(99))
      .join(' ')
      .padEnd(1000, ',');
    const { status, headers } = await askFor(secret, required);
    expect(status).toBe(200);
    expect([...headers].flat().join().length).toBeLessThan(2000);
  });

  it.each<[string | undefined, number]>([
    ['192.0.2.7', 200],
    ['::ffff:192.0.2.7', 200],
    ['192.0.3.7', 403],
    ['fe80::1%eth0', 403],
    [undefined, 403],
  ])('a key for 192.0.2.0/24, used from %s → %i', async (address, status) => {
    const { secret } = await createKey({ allowedAddresses: '["192.0.2.0/24"]' });
    const call = { headers: bearer(secret), ...(address !== undefined && { address }) };
    const answer = await setup.gateway.rest('GET', path, call);
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.body).toEqual(problems.address);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(answer.headers.has('x-keyward-user')).toBe(false);
  });

  it('uses the client address that a trusted proxy sends, and no other', async () => {
    const edge = { trustedProxies: ['10.0.0.1'] };
    await using gateway = await createTestGateway(setup.issuer, { edge });
    const alice = await gateway.createAccount('alice');
    const values = { allowedAddresses: '["192.0.2.7"]' };
    const { secret } = await gateway.createVerifiableKey(alice, values);
    const statusFrom = async (address: string, forwardedFor: string) => {
      const headers = { ...bearer(secret), 'x-forwarded-for': forwardedFor };
      return (await gateway.rest('GET', path, { headers, address })).status;
    };
    expect(await statusFrom('10.0.0.1', '192.0.2.7')).toBe(200);
    expect(await statusFrom('10.0.0.1', '198.51.100.1, 192.0.2.7')).toBe(200);
    expect(await statusFrom('10.0.0.1', '192.0.2.7, 198.51.100.1')).toBe(403);
    expect(await statusFrom('10.0.0.2', '192.0.2.7')).toBe(403);
  });

  it('a bad key → 401, not 403', async () => {
    const { secret } = await createKey({ isActive: false, allowedAddresses: '["192.0.2.7"]' });
    for (const key of [secret, createApiKeySecret()]) {
      const answer = await askFor(key, 'documents.write');
      expect(answer).toMatchObject({ status: 401, body: problems.wrongKey });
    }
    expect((await ask({ 'x-keyward-require': 'documents.write' })).status).toBe(401);
  });

  it('several reasons → the address', async () => {
    const { secret } = await createKey({ allowedAddresses: '["192.0.2.7"]' });
    await askFor(secret, 'documents.write');
    expect(setup.gateway.log()).toMatchObject([{ status: 403, reason: 'api-key-address-not-allowed' }]);
  });
});

describe('the log', () => {
  it('has the route and the reason, and never the key', async () => {
    const { secret } = await createKey({ isActive: false });
    await ask(bearer(secret), 'POST', `${path}/${secret}`);
    await ask(bearer(createApiKeySecret()));
    await ask({});
    const limited = await createKey({ allowedAddresses: '["192.0.2.7"]' });
    await ask(bearer(limited.secret));
    const { secret: other } = await createKey();
    await ask({ ...bearer(other), 'x-keyward-require': 'documents.write' });
    expect(setup.gateway.log()).toMatchObject([
      { method: 'POST', route: '/api/v1/keys/authorize', status: 401, reason: 'api-key-inactive' },
      { route: '/api/v1/keys/authorize', reason: 'api-key-not-found' },
      { route: '/api/v1/keys/authorize', reason: 'no-api-key' },
      { status: 403, reason: 'api-key-address-not-allowed' },
      { status: 403, reason: 'api-key-insufficient-permissions' },
    ]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain(secret.slice(9));
  });
});

describe('503', () => {
  it('the database cannot be opened → 503', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'keyward.db');
    await using gateway = await createTestGateway(
      setup.issuer,
      postgres ? {} : { databaseUrl: `sqlite:${file}` },
    );
    const { secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    expect((await gateway.rest('GET', path, { headers: bearer(secret) })).status).toBe(200);
    if (postgres) {
      await dropDatabase(gateway.database);
    } else {
      await gateway.database.close();
      rmSync(file);
      mkdirSync(file);
    }
    const answer = await gateway.rest('GET', path, { headers: bearer(secret) });
    expect(answer).toMatchObject({ status: 503, body: problems.unavailable });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.has('x-keyward-user')).toBe(false);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ level: 50, reason: 'database' }));
  });
});
