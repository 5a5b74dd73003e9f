import { createHmac, randomUUID } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertedKeyOf } from '../../src/api-keys/verify/asserted-key.ts';
import type { FoundKey } from '../../src/api-keys/verify/verify-secret.ts';
import { signAssertions } from '../../src/assertions/sign-assertions.ts';
import type { AccountId } from '../../src/database/tables.ts';
import type { AssertedKey, DoorGrace } from '../../src/operations/context.ts';
import { noEntitlement } from '../../src/plans/entitlement-of.ts';
import { createAssertionKey, publicKeySet } from '../../src/secrets/assertion-keys.ts';
import type { Answer } from '../support/gateway.ts';
import { plansOf } from '../support/plans.ts';
import { createServer, forOrganization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const shop = createServer('shop', 'keys.verify');
const first = createAssertionKey('first');
const assertions = {
  keys: [first, createAssertionKey('second', 'EdDSA')],
  audiences: ['https://api.example.com', 'reports'],
  seconds: 60,
} as const;
const setup = setUpGateway({
  servers: [shop],
  organization: { claim: 'org', manage: undefined },
  assertions,
});

const publicUrl = 'http://keyward.test';
const keySet = createLocalJWKSet(publicKeySet(assertions.keys));
const operator = { sub: 'operator', scope: 'openid email profile keyward.admin' };

const check = (token: string) =>
  jwtVerify(token, keySet, {
    issuer: publicUrl,
    audience: 'https://api.example.com',
    typ: 'at+jwt',
    algorithms: ['ES256'],
  });

/** Creates a key. Its name is its own: ids begin anew with each test, and what was signed is remembered. */
const createKey = async (json: object = {}) => {
  const { body, status } = await setup.call('POST', '/auth/keys', { name: randomUUID(), ...json });
  expect(status).toBe(201);
  return body as { id: number; key: string };
};

const authorize = (key: string, headers: Record<string, string> = {}) =>
  setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key, ...headers } });

const verify = (key: string, json: object = { assertion: true }) =>
  setup.gateway.rest('POST', '/keys/verify', { token: shop.secret, json: { key, ...json } });

const authorized = async (key: string) =>
  (await authorize(key)).headers.get('x-keyward-assertion') ?? 'missing';
const verified = async (key: string): Promise<string> => (await verify(key)).body.assertion;

/** The two ways to an assertion about a key. */
const ways = [
  ['a proxy that asks', authorized],
  ['a verification', verified],
] as const;

describe.each(ways)('%s', (_way, assert) => {
  it('gets the claims of RFC 9068, signed by the first key', async () => {
    const { id, key } = await createKey({ permissions: ['documents.*', 'reports.read'] });
    const before = Math.floor(Date.now() / 1000);
    const { payload, protectedHeader } = await check(await assert(key));
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'first' });
    const { iat = 0, exp = 0, jti, ...claims } = payload;
    expect(claims).toEqual({
      iss: publicUrl,
      aud: 'https://api.example.com',
      sub: 'alice',
      client_id: `key:${id}`,
      scope: 'documents.* reports.read',
      keyward: { user_id: 1, issuer: setup.issuer.config.issuer },
    });
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
    expect(exp - iat).toBe(60);
    expect(jti).toMatch(/^[\da-f-]{36}$/);
  });

  it('of an organization names it', async () => {
    const token = await setup.sign({ org: 'acme' });
    const acme = forOrganization(setup.gateway, 'acme');
    const created = await acme.rest('POST', '/auth/keys', { token, json: {} });
    const { payload } = await check(await assert(created.body.key));
    expect(payload).toMatchObject({ sub: 'acme', keyward: { organization_id: 'acme' }, scope: '' });
  });

  it('that ends with the key, if the key ends before', async () => {
    const expires = Math.floor(Date.now() / 1000) + 20;
    const { key } = await createKey({ expires_at: new Date(expires * 1000 + 900).toISOString() });
    expect((await check(await assert(key))).payload.exp).toBe(expires);
  });

  it('that ends with the grace of a previous secret', async () => {
    const { id, key } = await createKey();
    await setup.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 30 });
    const { exp = 0, iat = 0 } = (await check(await assert(key))).payload;
    expect(exp - iat).toBeGreaterThanOrEqual(28);
    expect(exp - iat).toBeLessThanOrEqual(30);
  });

  it('the same again, with the same content', async () => {
    const { key } = await createKey({ permissions: ['a'] });
    const token = await assert(key);
    expect(await assert(key)).toBe(token);
  });

  it('another for another key of the same account', async () => {
    const [one, other] = [await createKey(), await createKey()];
    const ids = await Promise.all(
      [one, other].map(async ({ key }) => (await check(await assert(key))).payload['client_id']),
    );
    expect(ids).toEqual([`key:${one.id}`, `key:${other.id}`]);
  });

  it.each<[string, (id: number) => Promise<Answer>]>([
    ['its description', (id) => setup.call('PATCH', `/auth/keys/${id}`, { description: 'x' })],
    [
      'whether it is paused, and back',
      async (id) => {
        await setup.call('POST', `/auth/keys/${id}/pause`, {});
        return setup.call('POST', `/auth/keys/${id}/resume`, {});
      },
    ],
    [
      'whether its account is blocked, and back',
      async () => {
        await setup.call('POST', '/admin/accounts/1/block', { reason: 'test' }, operator);
        return setup.call('POST', '/admin/accounts/1/unblock', { reason: 'test' }, operator);
      },
    ],
    ['its name', (id) => setup.call('PATCH', `/auth/keys/${id}`, { name: 'another' })],
    ['its permissions', (id) => setup.call('PATCH', `/auth/keys/${id}`, { permissions: ['b'] })],
    ['its metadata', (id) => setup.call('PATCH', `/auth/keys/${id}`, { metadata: { a: 1 } })],
    [
      'its addresses',
      (id) => setup.call('PATCH', `/auth/keys/${id}`, { allowed_addresses: ['::/0', '0.0.0.0/0'] }),
    ],
    [
      'its rate limit',
      (id) => setup.call('PATCH', `/auth/keys/${id}`, { rate_limit: { limit: 9, window_seconds: 60 } }),
    ],
    ['its quota', (id) => setup.call('PATCH', `/auth/keys/${id}`, { quota: { limit: 9, refill: 'never' } })],
    ['its end', (id) => setup.call('PATCH', `/auth/keys/${id}`, { expires_at: '2999-01-01T00:00:00Z' })],
    ['its secret', (id) => setup.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 3600 })],
  ])('another after a change of %s', async (_what, change) => {
    const { id, key } = await createKey({ permissions: ['a', 'b'] });
    await setup.gateway.rest('GET', '/keys/authorize', {
      headers: { 'x-api-key': key },
      address: '192.0.2.7',
    });
    const token = await assert(key);
    expect((await change(id)).status).toBeLessThan(300);
    const { body } = await setup.gateway.rest('POST', '/keys/verify', {
      token: shop.secret,
      json: { key, assertion: true, address: '192.0.2.7' },
    });
    expect(body.valid).toBe(true);
    expect(body.assertion).not.toBe(token);
  });

  it('none for a key that ended, is paused, or whose account is blocked, whatever it got before', async () => {
    const end = {
      deactivated: ({ id }: { id: number }) => setup.call('DELETE', `/auth/keys/${id}`),
      paused: ({ id }: { id: number }) => setup.call('POST', `/auth/keys/${id}/pause`, {}),
      rotated: ({ id }: { id: number }) => setup.call('POST', `/auth/keys/${id}/rotate`, {}),
      blocked: () => setup.call('POST', '/admin/accounts/1/block', { reason: 'test' }, operator),
    };
    for (const act of Object.values(end)) {
      const created = await createKey();
      expect(await assert(created.key)).toMatch(/^ey/);
      expect((await act(created)).status).toBeLessThan(300);
      expect((await verify(created.key)).body).toMatchObject({ valid: false, assertion: null });
      const refused = await authorize(created.key);
      expect(refused.status).toBeGreaterThanOrEqual(401);
      expect(refused.headers.has('x-keyward-assertion')).toBe(false);
    }
  });
});

it('a verification that does not ask gets none', async () => {
  const { key } = await createKey();
  for (const json of [{}, { assertion: false }, { assertion: null }])
    expect((await verify(key, json)).body).toMatchObject({ valid: true, assertion: null });
});

it('a verification that asks in another type is refused, and uses nothing', async () => {
  const { key } = await createKey({ quota: { limit: 5, refill: 'never' } });
  expect((await verify(key, { assertion: 'yes' })).status).toBe(422);
  expect((await verify(key, { cost: 0 })).body.quota.remaining).toBe(5);
});

describe('the same assertion is given again', () => {
  afterEach(() => vi.restoreAllMocks());

  it('for 5 seconds at most', async () => {
    const { key } = await createKey();
    const token = await authorized(key);
    const [now, date] = [performance.now(), Date.now()];
    const move = (milliseconds: number) => {
      vi.spyOn(performance, 'now').mockReturnValue(now + milliseconds);
      vi.spyOn(Date, 'now').mockReturnValue(date + milliseconds);
    };
    move(4900);
    expect(await authorized(key)).toBe(token);
    move(5100);
    expect(await authorized(key)).not.toBe(token);
  });

  it.each([3_600_000, -3_600_000, -1000, 6000])('but not if the clock was set by %i ms', async (step) => {
    const { key } = await createKey();
    const token = await authorized(key);
    const date = Date.now() + step;
    vi.spyOn(Date, 'now').mockReturnValue(date);
    const [, payload = ''] = (await authorized(key)).split('.');
    expect(await authorized(key)).not.toBe(token);
    const { iat, exp } = JSON.parse(`${Buffer.from(payload, 'base64url')}`);
    expect([iat, exp]).toEqual([Math.floor(date / 1000), Math.floor(date / 1000) + 60]);
  });

  it('for a quarter of its life, if that is less', async () => {
    const { about } = signAssertions({ ...assertions, seconds: 5 }, publicUrl);
    const key = { ...noKey, secretId: 7, keyId: 7 };
    const token = await about(key);
    const [now, date] = [performance.now(), Date.now()];
    const move = (milliseconds: number) => {
      vi.spyOn(performance, 'now').mockReturnValue(now + milliseconds);
      vi.spyOn(Date, 'now').mockReturnValue(date + milliseconds);
    };
    move(1100);
    expect(await about({ ...key })).toBe(token);
    move(1300);
    expect(await about({ ...key })).not.toBe(token);
  });
});

/** What may be said about a key that nobody has. */
const noKey: AssertedKey = {
  keyId: 1,
  secretId: 1,
  userId: 1 as AccountId,
  subject: 'alice',
  issuer: 'https://id.example.com',
  organization: null,
  plan: null,
  scope: ['a'],
  endsAt: null,
  state: [],
};

it('what was signed is remembered within a bound, and not for long', async () => {
  const { about, noteChange } = signAssertions({ ...assertions, keys: [createAssertionKey('a')] }, publicUrl);
  const long = { ...noKey, state: ['x'.repeat(4_000_000)] };
  const first = await about({ ...long, keyId: 1 });
  expect(await about({ ...long, keyId: 1 })).toBe(first);
  await about({ ...long, keyId: 2 });
  // There is room for one of these.
  expect(await about({ ...long, keyId: 1 })).not.toBe(first);
  const small = await about({ ...noKey, keyId: 3 });
  noteChange({ accountId: noKey.userId, keyId: 4 });
  noteChange({ accountId: 2 as AccountId });
  expect(await about({ ...noKey, keyId: 3 })).toBe(small);
  noteChange({ accountId: noKey.userId });
  expect(await about({ ...noKey, keyId: 3 })).not.toBe(small);
});

it.each<[string, Partial<AssertedKey>]>([
  ['its plan', { plan: 'pro' }],
  ['its owner', { subject: 'bob' }],
  ['its account', { userId: 2 as AccountId }],
  ['its issuer', { issuer: 'https://other.example.com' }],
  ['its organization', { organization: 'acme' }],
  ['its permissions', { scope: [] }],
  ['its end', { endsAt: new Date('2999-01-01') }],
  ['its secret', { secretId: 2 }],
  ['anything else', { state: ['another'] }],
])('a change of %s by another process → another assertion', async (_what, change) => {
  const { about } = signAssertions(assertions, publicUrl);
  expect(await about({ ...noKey, ...change })).not.toBe(await about(noKey));
});

it('a key that is accepted while the database is away gets one that ends with the grace', async () => {
  const staleSince = performance.now() - 40_000;
  const doorGrace = { usableUntil: (foundAt: number) => foundAt + 60_000 } as DoorGrace;
  const { id } = await createKey();
  const found = {
    id,
    secretId: 1,
    permissions: null,
    staleSince,
    expiresAt: null,
    worksUntil: null,
  } as FoundKey;
  const { endsAt } = assertedKeyOf(found, noEntitlement, { doorGrace });
  const left = (endsAt?.getTime() ?? 0) - Date.now();
  expect(left).toBeGreaterThan(18_000);
  expect(left).toBeLessThanOrEqual(20_000);
});

it('GraphQL gives it too', async () => {
  const { key } = await createKey();
  const query = 'mutation ($key: String!) { verifyApiKey(key: $key, assertion: true) { valid assertion } }';
  const { body } = await setup.gateway.graphql(query, { token: shop.secret, variables: { key } });
  expect((await check(body.data.verifyApiKey.assertion)).payload.sub).toBe('alice');
});

describe('within a plan', () => {
  const planned = setUpGateway({
    servers: [shop],
    assertions,
    plans: plansOf({ usual: { permissions: ['documents.read'] } }),
  });

  it('the scope has what the plan allows, and the plan is named', async () => {
    const { secret } = await planned.gateway.createVerifiableKey(
      await planned.gateway.createAccount('alice'),
      {
        permissions: '["*"]',
      },
    );
    const { headers } = await planned.gateway.rest('GET', '/keys/authorize', {
      headers: { 'x-api-key': secret },
    });
    const { payload } = await check(headers.get('x-keyward-assertion') ?? '');
    expect(payload).toMatchObject({ scope: 'documents.read', keyward: { plan: 'usual' } });
  });
});

describe('the public keys', () => {
  it('are all there, without anything private, and the metadata names them', async () => {
    const { status, body, headers } = await setup.gateway.fetch('GET', '/.well-known/jwks.json');
    expect(status).toBe(200);
    // go-oidc keeps them for so long.
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const text = expect.any(String);
    expect(body).toEqual({
      keys: [
        { kid: 'first', use: 'sig', alg: 'ES256', kty: 'EC', crv: 'P-256', x: text, y: text },
        { kid: 'second', use: 'sig', alg: 'EdDSA', kty: 'OKP', crv: 'Ed25519', x: text },
      ],
    });
    const metadata = await setup.gateway.fetch('GET', '/.well-known/oauth-authorization-server');
    expect(metadata.body).toMatchObject({
      issuer: publicUrl,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      token_endpoint: `${publicUrl}/api/v1/oauth/token`,
      token_endpoint_auth_methods_supported: ['none'],
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:token-exchange'],
    });
  });
});

describe('a service without keys', () => {
  const without = setUpGateway({ servers: [shop] });

  it('has none of this', async () => {
    const { gateway } = without;
    const { secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const { headers } = await gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    // There, so that it replaces what a client sent.
    expect(headers.get('x-keyward-assertion')).toBe('');
    const asked = await gateway.rest('POST', '/keys/verify', {
      token: shop.secret,
      json: { key: secret, assertion: true },
    });
    expect(asked).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'assertion'] }] } });
    for (const [method, path] of [
      ['GET', '/.well-known/jwks.json'],
      ['POST', '/api/v1/oauth/token'],
    ] as const)
      expect((await gateway.fetch(method, path)).status).toBe(404);
    const { body } = await gateway.fetch('GET', '/.well-known/oauth-authorization-server');
    expect(Object.keys(body)).not.toContain('jwks_uri');
  });
});

describe('at Keyward itself, an assertion', () => {
  const ask = (gateway: typeof setup.gateway, token: string) => gateway.rest('GET', '/auth/keys', { token });

  it('is no access token', async () => {
    const { key } = await createKey({ permissions: ['*'] });
    const token = await authorized(key);
    expect(await ask(setup.gateway, token)).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    });
    expect((await setup.gateway.graphql('{ apiKeys { totalCount } }', { token })).status).toBe(401);
    const byProxy = await setup.gateway.rest('GET', '/keys/authorize', { token });
    expect(byProxy.status).toBe(401);
    expect((await verify(token)).body).toMatchObject({ valid: false, reason: 'not_found', assertion: null });
  });

  it('is none even if the service trusts its own issuer by mistake', async () => {
    const mistaken = {
      ...setup.issuer.config,
      issuer: publicUrl,
      jwksUri: `${setup.issuer.config.issuer}/jwks`,
      audiences: ['https://api.example.com'],
    };
    const { createTestGateway } = await import('../support/gateway.ts');
    await using gateway = await createTestGateway(setup.issuer, { assertions, issuers: [mistaken] });
    const { key } = await createKey({ permissions: ['*'] });
    expect((await ask(gateway, await authorized(key))).status).toBe(401);
    // Signed by the trusted keys, only its issuer is what is wrong.
    const signed = await setup.sign({ iss: publicUrl, aud: 'https://api.example.com' });
    expect((await ask(gateway, signed)).status).toBe(401);
    expect(gateway.log().filter(({ reason }) => reason === 'token-assertion')).toHaveLength(2);
    await using other = await createTestGateway(setup.issuer, { issuers: [mistaken] });
    expect((await ask(other, signed)).status).toBe(200);
  });
});

describe('a forged assertion', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const publicKey = JSON.stringify(publicKeySet(assertions.keys).keys[0]);
  const signedBy = (alg: string, payload: string) => {
    const header = encode({ alg, typ: 'at+jwt', kid: 'first' });
    const mac = createHmac('sha256', publicKey).update(`${header}.${payload}`).digest('base64url');
    return `${header}.${payload}.${alg === 'none' ? '' : mac}`;
  };

  it.each(['none', 'HS256'])('with alg %s is refused by a verifier, and at Keyward', async (alg) => {
    const { key } = await createKey({ permissions: ['*'] });
    const [, payload = ''] = (await authorized(key)).split('.');
    const token = signedBy(alg, payload);
    await expect(check(token)).rejects.toThrow(/alg/i);
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': token }])
      for (const path of ['/auth/keys', '/keys/authorize', '/keys/self'])
        expect((await setup.gateway.rest('GET', path, { headers })).status).toBe(401);
    expect((await verify(token)).body).toMatchObject({ valid: false, reason: 'not_found' });
  });
});

it('a person and an organization of the same name have assertions that differ in the account', async () => {
  const token = await setup.sign({ org: 'alice' });
  const team = await forOrganization(setup.gateway, 'alice').rest('POST', '/auth/keys', { token, json: {} });
  const [own, ofTeam] = [await createKey(), team.body as { key: string }];
  const claims = await Promise.all(
    [own, ofTeam].map(async ({ key }) => (await check(await authorized(key))).payload),
  );
  const [one, other] = claims as [
    Record<string, Record<string, unknown>>,
    Record<string, Record<string, unknown>>,
  ];
  expect(one['sub']).toBe(other['sub']);
  expect(one['keyward']?.['user_id']).not.toBe(other['keyward']?.['user_id']);
});

it('several verifications in one document have an assertion each', async () => {
  const [one, other] = [await createKey({ permissions: ['a'] }), await createKey({ permissions: ['b'] })];
  const query = `mutation ($one: String!, $other: String!) {
    one: verifyApiKey(key: $one, assertion: true) { assertion }
    other: verifyApiKey(key: $other, assertion: true) { assertion }
    none: verifyApiKey(key: $other) { assertion }
  }`;
  const variables = { one: one.key, other: other.key };
  const { body } = await setup.gateway.graphql(query, { token: shop.secret, variables });
  const scopes = await Promise.all(
    ['one', 'other'].map(async (name) => (await check(body.data[name].assertion)).payload['scope']),
  );
  expect([...scopes, body.data.none.assertion]).toEqual(['a', 'b', null]);
});

it('no log line has an assertion or a key', async () => {
  const { key } = await createKey();
  const token = await authorized(key);
  await verified(key);
  await setup.gateway.rest('GET', '/auth/keys', { token });
  const log = JSON.stringify(setup.gateway.log());
  for (const part of [key, token, token.split('.')[1] ?? '', token.split('.')[2] ?? ''])
    expect(log).not.toContain(part);
});
