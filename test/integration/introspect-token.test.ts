import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import type { Call } from '../support/gateway.ts';
import { plansOf } from '../support/plans.ts';
import { basic, createServer, forOrganization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const shop = createServer('shop', 'keys.verify');
const importer = createServer('importer', 'keys.import');

const setup = setUpGateway({
  servers: [shop, importer],
  organization: { claim: 'org', manage: undefined },
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const signedIn = { authorization: basic('shop', shop.secret) };

/** Asks about a token, as the server `shop` unless told otherwise. */
const ask = (body: string, headers: Record<string, string> = signedIn, more: Call = {}) =>
  setup.gateway.rest('POST', '/oauth/introspect', { headers: { ...form, ...headers }, body, ...more });

const about = async (token: string, more: Record<string, string> = {}) => {
  const answer = await ask(`${new URLSearchParams({ token, ...more })}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return answer.body;
};

const verify = async (key: string) =>
  (await setup.gateway.rest('POST', '/keys/verify', { headers: signedIn, json: { key } })).body;

const createKey = async (json: object = {}) => {
  const { body, status } = await setup.call('POST', '/auth/keys', json);
  expect(status).toBe(201);
  return body as { id: number; key: string; created_at: string };
};

const inactive = { active: false };

describe('a valid key', () => {
  it('is told with what the standard names, and with the members of a verification', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000);
    expiresAt.setMilliseconds(0);
    const { id, key, created_at } = await createKey({
      permissions: ['documents.*', 'reports.read'],
      expires_at: expiresAt.toISOString(),
    });
    const told = await about(key);
    const { key_id, user_id, owner_kind } = await verify(key);
    expect(told).toEqual({
      active: true,
      scope: 'documents.* reports.read',
      client_id: `key:${id}`,
      sub: 'alice',
      username: 'alice',
      iss: 'http://keyward.test',
      exp: expiresAt.getTime() / 1000,
      iat: Math.floor(Date.parse(created_at) / 1000),
      token_type: 'Bearer',
      ...{ key_id, user_id, owner_kind },
    });
    expect(told).toMatchObject({ key_id: id, owner_kind: 'person' });
  });

  it('that never expires has no exp, and one without permissions an empty scope', async () => {
    const { key } = await createKey();
    const told = await about(key);
    expect(told).not.toHaveProperty('exp');
    expect(told.scope).toBe('');
  });

  it('of an organisation names it, and not the member who created it', async () => {
    const token = await setup.sign({ org: 'acme' });
    const created = await forOrganization(setup.gateway, 'acme').rest('POST', '/auth/keys', {
      token,
      json: {},
    });
    expect(await about(created.body.key)).toMatchObject({
      sub: 'acme',
      owner_kind: 'organization',
      organization_id: 'acme',
    });
  });

  it.each<[string, string, Record<string, string>?]>([
    ['a hint that is right', 'token_type_hint=access_token'],
    ['a hint that is wrong', 'token_type_hint=refresh_token'],
    ['a hint that nobody knows', 'token_type_hint=%F0%9F%94%91'],
    ['parameters that nobody knows', 'foo=1&bar=&constructor=x&__proto__=y'],
    ['an address', 'address=192.0.2.7'],
    ['a character set', '', { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }],
    ['another spelling of the media type', '', { 'content-type': 'Application/X-WWW-Form-Urlencoded' }],
  ])('with %s → the same', async (_what, more, headers = {}) => {
    const { key } = await createKey();
    const answer = await ask(`${more}&token=${key}`, { ...signedIn, ...headers });
    expect(answer.body).toMatchObject({ active: true });
  });

  it('limited to addresses works only from them', async () => {
    const { key } = await createKey({ allowed_addresses: ['192.0.2.0/24'] });
    expect(await about(key)).toEqual(inactive);
    expect(await about(key, { address: '198.51.100.1' })).toEqual(inactive);
    expect(await about(key, { address: '192.0.2.9' })).toMatchObject({ active: true });
  });
});

describe('anything else → inactive, and nothing more', () => {
  it.each([
    ['no key', 'x'],
    ['a key that nobody has', createApiKeySecret()],
    ['a character that no key has', 'sk-ünïcødé\u0000'],
    ['as long a text as a key may be', 'k'.repeat(1000)],
    ['a longer text', 'k'.repeat(1001)],
    ['a lone surrogate', '\ud800'],
    ['an access token', 'eyJhbGciOiJub25lIn0.e30.'],
  ])('%s', async (_what, token) => {
    expect(await about(token)).toEqual(inactive);
  });

  it('a key that was deactivated, paused, rotated, or whose account is blocked', async () => {
    const operator = { sub: 'operator', scope: 'openid email profile keyward.admin' };
    const [deactivated, paused, rotated, blocked] = [
      await createKey(),
      await createKey(),
      await createKey(),
      await createKey(),
    ];
    const keys = [deactivated, paused, rotated, blocked];
    for (const { key } of keys) expect(await about(key)).toMatchObject({ active: true });
    await setup.call('DELETE', `/auth/keys/${deactivated.id}`);
    await setup.call('POST', `/auth/keys/${paused.id}/pause`, {});
    await setup.call('POST', `/auth/keys/${rotated.id}/rotate`, {});
    for (const { key } of [deactivated, paused, rotated]) expect(await about(key)).toEqual(inactive);
    const { user_id } = await verify(blocked.key);
    await setup.call('POST', `/admin/accounts/${user_id}/block`, { reason: 'test' }, operator);
    expect(await about(blocked.key)).toEqual(inactive);
  });

  it('says in the log why, and never which token', async () => {
    const { id, key } = await createKey();
    await setup.call('DELETE', `/auth/keys/${id}`);
    await about(key);
    const lines = setup.gateway.log().filter(({ route }) => route === '/api/v1/oauth/introspect');
    expect(lines).toMatchObject([{ operation: 'introspectToken', keyId: id, status: 200, server: 'shop' }]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain(key);
  });
});

it.each(['token=%FF', 'token=%ZZ', 'token=%', 'token=+', '&&token=x&&=y&'])('%s → inactive', async (body) => {
  expect((await ask(body)).body).toEqual(inactive);
});

describe('within a plan', () => {
  const planned = setUpGateway({
    servers: [shop],
    plans: plansOf({ usual: { permissions: ['documents.*'] } }),
    rates: { address: { requests: 4, seconds: 3600 } } as never,
  });
  const { call } = planned;
  const askPlanned = (token: string) =>
    planned.gateway.rest('POST', '/oauth/introspect', {
      headers: { ...form, ...signedIn },
      body: `${new URLSearchParams({ token })}`,
      address: '192.0.2.1',
    });

  it('the scope has what the plan allows, and the plan is named', async () => {
    const { body } = await call('POST', '/auth/keys', { permissions: ['documents.read'] });
    expect((await askPlanned(body.key)).body).toMatchObject({ scope: 'documents.read', plan: 'usual' });
  });

  it('an address that tried too many wrong keys at the proxy is not answered, but for good keys', async () => {
    const { body } = await call('POST', '/auth/keys', {});
    expect((await askPlanned(body.key)).body).toMatchObject({ active: true });
    for (let times = 0; times < 4; times += 1) {
      const headers = { 'x-api-key': `wrong-${times}` };
      await planned.gateway.rest('GET', '/keys/authorize', { headers, address: '192.0.2.1' });
    }
    const refused = await askPlanned('another wrong one');
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await askPlanned(body.key)).body).toMatchObject({ active: true });
  });
});

describe('limits', () => {
  it('it counts as one use, or as many as it says', async () => {
    const { key } = await createKey({ quota: { limit: 10, refill: 'never' } });
    const left = async () => (await verifyFree(key)).quota.remaining;
    await about(key);
    expect(await left()).toBe(9);
    await about(key, { cost: '4' });
    expect(await left()).toBe(5);
    await about(key, { cost: '0' });
    expect(await left()).toBe(5);
    expect(await about(key, { cost: '6' })).toEqual(inactive);
    expect(await left()).toBe(5);
  });

  const verifyFree = async (key: string) =>
    (await setup.gateway.rest('POST', '/keys/verify', { headers: signedIn, json: { key, cost: 0 } })).body;

  it('it counts towards the rate limit of the key', async () => {
    const { key } = await createKey({ rate_limit: { limit: 2, window_seconds: 3600 } });
    expect(await about(key)).toMatchObject({ active: true });
    expect(await about(key)).toMatchObject({ active: true });
    expect(await about(key)).toEqual(inactive);
  });

  it('it counts in the usage of the key', async () => {
    const { key, id } = await createKey();
    await about(key);
    await verify(key);
    await setup.gateway.keyUsage.write();
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await setup.call('GET', `/auth/keys/${id}/usage?from=${from}&to=${to}&by=hour`);
    expect(
      body.counts.map(({ outcome, count }: { outcome: string; count: number }) => [outcome, count]),
    ).toEqual([['valid', 2]]);
  });
});

describe('who may ask', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['a server by HTTP Basic', async () => signedIn],
    ['a server by its secret as a bearer', async () => ({ authorization: `Bearer ${shop.secret}` })],
    [
      'a server by HTTP Basic, encoded as OAuth demands',
      async () => ({
        authorization: `Basic ${Buffer.from(`shop:${shop.secret.replaceAll('_', '%5F')}`).toString('base64')}`,
      }),
    ],
    [
      'an access token with keys.verify',
      async () => ({ authorization: `Bearer ${await setup.sign({ sub: 'backend', scope: 'keys.verify' })}` }),
    ],
  ])('%s', async (_who, headers) => {
    const { key } = await createKey();
    expect((await ask(`token=${key}`, await headers())).body).toMatchObject({ active: true });
  });

  it.each<[string, () => Promise<Record<string, string>>, number, string, RegExp | null]>([
    ['nobody', async () => ({}), 401, 'invalid_client', /^Bearer realm="keyward", resource_metadata=/],
    [
      'a wrong secret',
      async () => ({ authorization: basic('shop', 'kws_wrong') }),
      401,
      'invalid_client',
      /^Basic /,
    ],
    ['no base64', async () => ({ authorization: 'Basic %%%' }), 401, 'invalid_client', /^Basic /],
    [
      'a broken encoding',
      async () => ({ authorization: `Basic ${Buffer.from('shop:%E0%A4%A').toString('base64')}` }),
      401,
      'invalid_client',
      /^Basic /,
    ],
    [
      'a token that is none',
      async () => ({ authorization: 'Bearer x' }),
      401,
      'invalid_token',
      /error="invalid_token"/,
    ],
    [
      'an API key',
      async () => ({ authorization: `Bearer ${createApiKeySecret()}` }),
      401,
      'invalid_token',
      /error="invalid_token"/,
    ],
    [
      'a person',
      async () => ({ authorization: `Bearer ${await setup.sign()}` }),
      403,
      'insufficient_scope',
      /scope="keys.verify"/,
    ],
    [
      'a server without the scope',
      async () => ({ authorization: basic('importer', importer.secret) }),
      403,
      'insufficient_scope',
      /scope="keys.verify"/,
    ],
  ])('not %s', async (_who, headers, status, error, challenge) => {
    const { key } = await createKey();
    const answer = await ask(`token=${key}`, await headers());
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toMatch(challenge ?? /^$/);
  });
});

const token = `token=${createApiKeySecret()}`;
const none = {};
const big = `token=${'k'.repeat(70_000)}`;

describe('a malformed request → an error in the form of OAuth', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['no body', '', none, 400],
    ['an empty token', 'token=', none, 400],
    ['only a name', 'token', none, 400],
    ['no token', 'foo=bar', none, 400],
    ['Token in capitals', 'TOKEN=x', none, 400],
    ['the token twice', `${token}&${token}`, none, 400],
    ['two tokens', `${token}&token=x`, none, 400],
    ['a token and an empty one', `${token}&token=`, none, 400],
    ['a hint twice', `${token}&token_type_hint=a&token_type_hint=a`, none, 400],
    ['an unknown parameter twice', `${token}&x=1&x=1`, none, 400],
    ['__proto__ twice', `${token}&__proto__=1&__proto__=1`, none, 400],
    ['a token in brackets', 'token[]=x', none, 400],
    ['a cost that is no number', `${token}&cost=many`, none, 400],
    ['a negative cost', `${token}&cost=-1`, none, 400],
    ['a cost with a fraction', `${token}&cost=1.5`, none, 400],
    ['a cost with an exponent', `${token}&cost=1e3`, none, 400],
    ['a cost above the most', `${token}&cost=1000001`, none, 400],
    ['a cost of many digits', `${token}&cost=${'9'.repeat(400)}`, none, 400],
    ['an address that is none', `${token}&address=localhost`, none, 400],
    ['an address with a zone', `${token}&address=fe80::1%25eth0`, none, 400],
    ['JSON', '{"token":"x"}', { 'content-type': 'application/json' }, 415],
    ['JSON that says it is a form', '{"token":"x"}', none, 400],
    ['text', token, { 'content-type': 'text/plain' }, 415],
    ['a multipart form', token, { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['no media type', token, { 'content-type': '' }, 415],
    [
      'another character set',
      token,
      { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' },
      415,
    ],
    ['a compressed body', token, { 'content-encoding': 'gzip' }, 415],
    ['a body that is too large', big, none, 413],
    ['for an account', token, { 'keyward-account': '1' }, 404],
    ['for an account that is no number', token, { 'keyward-account': 'x' }, 400],
    ['for both', token, { 'keyward-account': '1', 'keyward-organization': 'acme' }, 400],
  ])('%s', async (_what, body, headers, status) => {
    const answer = await ask(body, { ...signedIn, ...headers });
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
    expect(answer.body.error).toBe('invalid_request');
    expect(answer.body.error_description).toMatch(/^[ !#-[\]-~]+$/);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])('%s → 405', async (method) => {
    const answer = await setup.gateway.rest(method, '/oauth/introspect', { headers: signedIn });
    expect(answer).toMatchObject({ status: 405, body: { error: 'invalid_request' } });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('nowhere else', async () => {
    const answer = await setup.gateway.rest('POST', '/keys/verify', { headers: signedIn, json: {} });
    expect(answer.body).toHaveProperty('detail');
    expect(
      (await setup.gateway.rest('POST', '/oauth/introspect/', { headers: signedIn })).body,
    ).toHaveProperty('detail');
  });
});

describe('the metadata (RFC 8414)', () => {
  const read = (name: string) => setup.gateway.fetch('GET', `/.well-known/${name}`);

  it('tells where and how to ask', async () => {
    const { status, body } = await read('oauth-authorization-server');
    expect(status).toBe(200);
    expect(body).toEqual({
      issuer: 'http://keyward.test',
      introspection_endpoint: 'http://keyward.test/api/v1/oauth/introspect',
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'Bearer'],
      response_types_supported: [],
      grant_types_supported: [],
    });
  });

  it('changes nothing in the metadata for access tokens (RFC 9728)', async () => {
    const { body } = await read('oauth-protected-resource');
    expect(body).toMatchObject({ authorization_servers: [setup.issuer.config.issuer] });
  });
});
