import { createLocalJWKSet, jwtVerify } from 'jose';
import { SignJWT } from 'jose/jwt/sign';
import { describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { createAssertionKey, publicKeySet } from '../../src/secrets/assertion-keys.ts';
import { createServer } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const shop = createServer('shop', 'keys.verify');
const api = 'https://api.example.com';
const assertions = {
  keys: [createAssertionKey('one')],
  audiences: [api, 'reports', 'https://files.example.com/'],
  seconds: 30,
} as const;
const setup = setUpGateway({ servers: [shop], assertions });
const keySet = createLocalJWKSet(publicKeySet(assertions.keys));
const operator = { sub: 'operator', scope: 'openid email profile keyward.admin' };

const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const ownType = 'urn:keyward:params:oauth:token-type:api-key';
const usual = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: ownType,
};
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const send = (body: string, headers: Record<string, string> = {}, address?: string) =>
  setup.gateway.rest('POST', '/oauth/token', {
    headers: { ...form, ...headers },
    body,
    ...(address !== undefined && { address }),
  });

/** Exchanges a key; an undefined parameter is left out. */
const exchange = (key: string, more: Record<string, string | undefined> = {}, address?: string) => {
  const given = Object.entries({ ...usual, subject_token: key, ...more });
  const body = new URLSearchParams(given.filter((each): each is [string, string] => each[1] !== undefined));
  return send(`${body}`, {}, address);
};

const createKey = async (json: object = {}) => {
  const { body, status } = await setup.call('POST', '/auth/keys', json);
  expect(status).toBe(201);
  return body as { id: number; key: string };
};

const claimsOf = async (token: string, audience: string = api) =>
  (await jwtVerify(token, keySet, { issuer: 'http://keyward.test', audience, typ: 'at+jwt' })).payload;

describe('a key that works', () => {
  it('is exchanged for a token that may do the same', async () => {
    const { id, key } = await createKey({ permissions: ['documents.*', 'reports.read'] });
    const answer = await exchange(key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { access_token, expires_in, ...rest } = answer.body;
    // Whole seconds, of which some may have passed on a busy machine.
    expect(expires_in).toBeLessThanOrEqual(30);
    expect(expires_in).toBeGreaterThan(20);
    expect(rest).toEqual({
      issued_token_type: accessToken,
      token_type: 'Bearer',
      scope: 'documents.* reports.read',
    });
    expect(await claimsOf(access_token)).toMatchObject({
      aud: api,
      sub: 'alice',
      client_id: `key:${id}`,
      scope: 'documents.* reports.read',
      keyward: { user_id: 1, issuer: setup.issuer.config.issuer },
    });
  });

  it('without permissions is exchanged for a token without a scope', async () => {
    const { key } = await createKey();
    const { body } = await exchange(key);
    expect(body).not.toHaveProperty('scope');
    expect((await claimsOf(body.access_token))['scope']).toBe('');
  });

  it.each<[held: string[], wanted: string, granted: string]>([
    [['documents.*'], 'documents.read', 'documents.read'],
    [['*'], 'documents.read', 'documents.read'],
    [['*'], '*', '*'],
    [['*'], 'documents.* reports.read', 'documents.* reports.read'],
    [['documents.*'], 'documents.read documents.read', 'documents.read'],
    [['documents.*'], 'documents.old.*', 'documents.old.*'],
    [['a', 'b', 'c'], 'b a', 'b a'],
  ])('with %j, for %s → %s', async (permissions, scope, granted) => {
    const { key } = await createKey({ permissions });
    const { status, body } = await exchange(key, { scope });
    expect([status, body.scope]).toEqual([200, granted]);
    expect((await claimsOf(body.access_token))['scope']).toBe(granted);
  });

  it.each<[held: string[], wanted: string]>([
    [['documents.read'], '*'],
    [['documents.read'], 'documents.*'],
    [['documents.read'], 'documents.write'],
    [['documents.read'], 'documents.read documents.write'],
    [['documents.*'], '*'],
    [['documents.*'], 'documents.'],
    [['documents.*'], 'documents'],
    [['documents.*'], 'document.read'],
    [['documents*'], 'documents.read'],
    [['*.read'], 'documents.read'],
    [[], 'documents.read'],
    [['a'], ' '],
    [['a'], 'a  a'],
    [['a'], 'a '],
    [['a'], 'a\tb'],
    [['a'], 'A'],
    [['a'], 'a"'],
    [['*'], Array.from({ length: 51 }, (_, at) => `p${at}`).join(' ')],
    [['*'], 'x'.repeat(101)],
  ])('with %j, for %j → invalid_scope', async (permissions, scope) => {
    const { key } = await createKey({ permissions, quota: { limit: 5, refill: 'never' } });
    expect(await exchange(key, { scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect((await exchange(key)).headers.get('ratelimit')).toContain('"quota";r=4');
  });

  it.each<[string, Record<string, string>, string]>([
    ['an audience', { audience: 'reports' }, 'reports'],
    ['a resource', { resource: 'https://files.example.com/' }, 'https://files.example.com/'],
    ['both, alike', { audience: api, resource: api }, api],
    ['neither', {}, api],
  ])('for %s', async (_what, more, audience) => {
    const { key } = await createKey();
    expect((await claimsOf((await exchange(key, more)).body.access_token, audience)).aud).toBe(audience);
  });

  it.each<[string, string]>([
    ['an audience that is not configured', 'audience=other'],
    ['a resource that is not configured', 'resource=https://evil.example.com'],
    ['another spelling', 'audience=Reports'],
    ['the beginning of one', `audience=${api}.evil.com`],
    ['Keyward itself', 'audience=http://keyward.test'],
    ['two audiences', `audience=reports&audience=${api}`],
    ['an audience and another resource', `audience=reports&resource=${api}`],
    ['a list in one', `audience=reports,${api}`],
  ])('for %s → invalid_target', async (_what, more) => {
    const { key } = await createKey();
    const body = `${new URLSearchParams({ ...usual, subject_token: key })}&${more}`;
    expect(await send(body)).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  it.each([
    ['as an access token', { subject_token_type: accessToken }],
    ['with a type to get', { requested_token_type: accessToken }],
    ['with a client id', { client_id: 'anything' }],
    ['with parameters that nobody knows', { foo: '1', constructor: 'x' }],
    ['with empty ones', { audience: '', scope: '', actor_token: '' }],
  ])('%s', async (_what, more) => {
    const { key } = await createKey({ permissions: ['a'] });
    expect(await exchange(key, more)).toMatchObject({ status: 200, body: { scope: 'a' } });
  });

  it('for a JWT by its own type', async () => {
    const { key } = await createKey();
    const requested_token_type = 'urn:ietf:params:oauth:token-type:jwt';
    expect((await exchange(key, { requested_token_type })).body.issued_token_type).toBe(requested_token_type);
  });

  it('gets a token of its own with each exchange', async () => {
    const { key } = await createKey();
    const tokens = [await exchange(key), await exchange(key)].map(({ body }) => body.access_token);
    const ids = await Promise.all(tokens.map(async (token) => (await claimsOf(token)).jti));
    expect(new Set(ids).size).toBe(2);
  });

  it('says how long the token works, and no longer than the key', async () => {
    const expires = Date.now() + 10_900;
    const { key } = await createKey({ expires_at: new Date(expires).toISOString() });
    const { body } = await exchange(key);
    const { exp = 0 } = await claimsOf(body.access_token);
    expect(exp).toBe(Math.floor(expires / 1000));
    expect(body.expires_in).toBeLessThanOrEqual(10);
    expect(body.expires_in).toBeGreaterThanOrEqual(8);
  });
});

describe('limits', () => {
  it('an exchange counts as one use', async () => {
    const { key } = await createKey({ quota: { limit: 2, refill: 'never' } });
    expect((await exchange(key)).headers.get('ratelimit')).toContain('"quota";r=1');
    expect((await exchange(key)).headers.get('ratelimit')).toContain('"quota";r=0');
    const refused = await exchange(key);
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('3600');
  });

  it('it counts towards the rate limit of the key', async () => {
    const { key } = await createKey({ rate_limit: { limit: 1, window_seconds: 3600 } });
    expect((await exchange(key)).status).toBe(200);
    expect((await exchange(key)).status).toBe(429);
  });

  it('a key limited to addresses works only from them', async () => {
    const { key } = await createKey({ allowed_addresses: ['192.0.2.0/24'] });
    expect((await exchange(key, {}, '192.0.2.7')).status).toBe(200);
    expect(await exchange(key, {}, '198.51.100.1')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });
});

describe('a key that does not work → invalid_grant', () => {
  it('deactivated, paused, rotated, blocked', async () => {
    const keys = [await createKey(), await createKey(), await createKey(), await createKey()] as const;
    const [deactivated, paused, rotated, blocked] = keys;
    for (const { key } of keys) expect((await exchange(key)).status).toBe(200);
    await setup.call('DELETE', `/auth/keys/${deactivated.id}`);
    await setup.call('POST', `/auth/keys/${paused.id}/pause`, {});
    await setup.call('POST', `/auth/keys/${rotated.id}/rotate`, {});
    const wrong = { error: 'invalid_grant', error_description: 'Could not validate credentials' };
    for (const { key } of [deactivated, paused, rotated])
      expect(await exchange(key)).toMatchObject({ status: 400, body: wrong });
    await setup.call('POST', '/admin/accounts/1/block', { reason: 'test' }, operator);
    expect((await exchange(blocked.key)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'The account of this API key is blocked',
    });
  });

  it('with a grace, the previous secret gets tokens until its end', async () => {
    const { id, key } = await createKey();
    await setup.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 10 });
    const { status, body } = await exchange(key);
    expect(status).toBe(200);
    expect(body.expires_in).toBeLessThanOrEqual(10);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['a key that nobody has', () => createApiKeySecret()],
    ['no key', () => 'x'],
    ['60 kB', () => 'k'.repeat(60_000)],
    ['a NUL', () => 'sk-\u0000'],
    ['an access token of the identity provider', () => setup.sign()],
    ['the secret of a server', () => shop.secret],
    ['a token without a signature', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.'],
    [
      'an assertion',
      async () => (await exchange((await createKey({ permissions: ['*'] })).key)).body.access_token,
    ],
  ])('%s', async (_what, make) => {
    const token = await make();
    for (const subject_token_type of [ownType, accessToken])
      expect(await exchange(token, { subject_token_type })).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Could not validate credentials' },
      });
  });

  it('a signed-in person may not exchange in place of a key', async () => {
    const answer = await send(`${new URLSearchParams(usual)}`, {
      authorization: `Bearer ${await setup.sign()}`,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

const key = createApiKeySecret();
const whole = `${new URLSearchParams({ ...usual, subject_token: key })}`;

describe('a malformed request', () => {
  it.each<[string, string, Record<string, string>, number, string]>([
    ['no body', '', {}, 400, 'invalid_request'],
    ['no grant type', `subject_token=${key}&subject_token_type=${ownType}`, {}, 400, 'invalid_request'],
    ['another grant type', 'grant_type=client_credentials', {}, 400, 'unsupported_grant_type'],
    [
      'a grant type in capitals',
      whole.replace('token-exchange', 'TOKEN-EXCHANGE'),
      {},
      400,
      'unsupported_grant_type',
    ],
    ['no key', `${new URLSearchParams(usual)}`, {}, 400, 'invalid_request'],
    ['an empty key', `${new URLSearchParams({ ...usual, subject_token: '' })}`, {}, 400, 'invalid_request'],
    ['no type of the key', `grant_type=${usual.grant_type}&subject_token=${key}`, {}, 400, 'invalid_request'],
    [
      'another type of the key',
      `${new URLSearchParams({ ...usual, subject_token: key, subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' })}`,
      {},
      400,
      'invalid_request',
    ],
    ['an actor', `${whole}&actor_token=x&actor_token_type=${accessToken}`, {}, 400, 'invalid_request'],
    [
      'a refresh token wanted',
      `${whole}&requested_token_type=urn:ietf:params:oauth:token-type:refresh_token`,
      {},
      400,
      'invalid_request',
    ],
    ['the key twice', `${whole}&subject_token=${key}`, {}, 400, 'invalid_request'],
    ['the scope twice', `${whole}&scope=a&scope=b`, {}, 400, 'invalid_request'],
    ['the grant type twice', `${whole}&grant_type=x`, {}, 400, 'invalid_request'],
    ['JSON', JSON.stringify(usual), { 'content-type': 'application/json' }, 415, 'invalid_request'],
    ['text', whole, { 'content-type': 'text/plain' }, 415, 'invalid_request'],
    ['a compressed body', whole, { 'content-encoding': 'gzip' }, 415, 'invalid_request'],
    ['a body that is too large', `${whole}&x=${'x'.repeat(70_000)}`, {}, 413, 'invalid_request'],
    ['bytes that are no UTF-8', `${whole}&scope=%FF`, {}, 400, 'invalid_scope'],
  ])('%s', async (_what, body, headers, status, error) => {
    const answer = await send(body, headers);
    expect(answer).toMatchObject({
      status,
      body: { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
    });
    expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
    expect(answer.text).not.toContain(key);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s → 405', async (method) => {
    const answer = await setup.gateway.rest(method, '/oauth/token');
    expect(answer).toMatchObject({ status: 405, body: { error: 'invalid_request' } });
    expect(answer.headers.get('allow')).toBe('POST');
  });
});

it('the log tells which key was exchanged, and why one was refused, and never the key or the token', async () => {
  const { id, key: good } = await createKey();
  const { body } = await exchange(good);
  await setup.call('DELETE', `/auth/keys/${id}`);
  await exchange(good);
  const lines = setup.gateway.log().filter(({ route }) => route === '/api/v1/oauth/token');
  expect(lines).toMatchObject([
    { operation: 'exchangeToken', keyId: id, accountId: 1, status: 200 },
    { operation: 'exchangeToken', keyId: id, accountId: 1, status: 400, reason: 'api-key-inactive' },
  ]);
  const log = JSON.stringify(setup.gateway.log());
  for (const secret of [good, body.access_token, ...body.access_token.split('.')])
    expect(log).not.toContain(secret);
});

describe('an address that tries keys', () => {
  const limited = setUpGateway({
    servers: [shop],
    assertions,
    rates: { address: { requests: 6, seconds: 3600 } },
  });

  it('is refused after a few wrong ones, but for good ones', async () => {
    const { gateway } = limited;
    const { secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const ask = (token: string) =>
      gateway.rest('POST', '/oauth/token', {
        headers: form,
        body: `${new URLSearchParams({ ...usual, subject_token: token })}`,
        address: '192.0.2.1',
      });
    expect((await ask(secret)).status).toBe(200);
    for (let times = 0; times < 3; times += 1)
      expect((await ask(`wrong-${times}`)).body).toMatchObject({ error: 'invalid_grant' });
    // At the proxy, only wrong keys count for the address.
    for (let times = 3; times < 6; times += 1)
      await gateway.rest('GET', '/keys/authorize', {
        headers: { 'x-api-key': `wrong-${times}` },
        address: '192.0.2.1',
      });
    const refused = await ask('another wrong one');
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect((await ask(secret)).status).toBe(200);
  });
});

describe('what it costs', () => {
  const limited = setUpGateway({
    servers: [shop],
    assertions,
    rates: { apiKey: { requests: 2, seconds: 3600 } },
  });

  it('one signature for each use that the key has left, and none for a refusal', async () => {
    const sign = vi.spyOn(SignJWT.prototype, 'sign');
    const { gateway } = limited;
    const { secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const ask = async (more: Record<string, string>) => {
      const body = `${new URLSearchParams({ ...usual, subject_token: secret, ...more })}`;
      return (await gateway.rest('POST', '/oauth/token', { headers: form, body })).status;
    };
    expect(await ask({ subject_token: createApiKeySecret('sk') })).toBe(400);
    expect(await ask({ scope: 'documents.read' })).toBe(400);
    expect(await ask({ audience: 'another' })).toBe(400);
    expect(sign).not.toHaveBeenCalled();
    for (const status of [200, 200, 429, 429]) expect(await ask({})).toBe(status);
    expect(sign).toHaveBeenCalledTimes(2);
  });
});

describe('other methods and origins', () => {
  it('HEAD has no body, and OPTIONS is answered as everywhere', async () => {
    const head = await setup.gateway.rest('HEAD', '/oauth/token');
    expect([head.status, head.text]).toEqual([405, '']);
    expect((await setup.gateway.rest('OPTIONS', '/oauth/token')).status).toBe(405);
  });

  it('a key in a header is no subject token', async () => {
    const { key: good } = await createKey();
    const answer = await send(`${new URLSearchParams(usual)}`, { 'x-api-key': good });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});
