import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IssuerConfig } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { recipesOf } from '../support/provider-recipes.ts';
import { secretVariables } from '../support/secrets.ts';
import { algorithms, encode, type Forge, signBytes, startForge } from '../support/token-forge.ts';

/** Claims, or a whole token of another making. */
type Token = Readonly<Record<string, unknown>> | ((forge: Forge, make: Make) => string);
type Make = (claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>) => string;

interface Provider {
  /** A person's token, as the provider's documentation shows it. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** What a token may carry besides, and still passes. */
  readonly others: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Tokens that are nearly one of these: members in their place, undefined for a member that is left out. */
  readonly misses: Readonly<Record<string, Token>>;
}

const now = () => Math.floor(Date.now() / 1000);

/** What no issuer’s setting lets in. */
const always: Record<string, Token> = {
  'another issuer': { iss: 'https://id.other.example.com' },
  'a longer issuer': (forge, make) => make({ iss: `${forge.config.issuer}/` }),
  expired: { iat: now() - 4000, exp: now() - 400 },
  'not valid yet': { nbf: now() + 400 },
  'no expiry': { exp: undefined },
  'no subject': { sub: undefined },
  'a key of somebody else': (forge) =>
    forge.forge({ key: forge.keys.stranger.privateKey, claims: { aud: undefined } }),
  'a shared secret': (_forge, make) => {
    const [header, claims] = make({}).split('.');
    const changed = encode({ ...JSON.parse(`${Buffer.from(`${header}`, 'base64url')}`), alg: 'HS256' });
    const input = `${changed}.${claims}`;
    return `${input}.${encode(signBytes('RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, input))}`;
  },
  unsigned: (_forge, make) => `${encode({ alg: 'none' })}.${make({}).split('.')[1]}.`,
  'a sign-out': { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
  'a refresh token': { typ: 'Refresh' },
  'a claim of another type': { scope: { openid: true } },
};

const providers: Record<string, Provider> = {
  Clerk: {
    claims: { sub: 'user_2abc', sid: 'sess_2abc', azp: 'https://app.example.com', fva: [1, -1], v: 2 },
    others: {
      'no azp, as from a browser that sends no Origin': { azp: undefined },
      'an active session': { sts: 'active' },
      'an organisation': { o: { id: 'org_2abc', rol: 'admin', slg: 'acme' } },
    },
    misses: {
      'a page of another origin': { azp: 'https://evil.example.com' },
      'a page whose origin begins like ours': { azp: 'https://app.example.com.evil.example.com' },
      'a party that is no text': { azp: ['https://app.example.com'] },
      'an audience': { aud: 'another' },
      'a client of its OAuth server': { client_id: 'another' },
      'a colleague who impersonates somebody': { act: { sub: 'user_2def' } },
      'a sign-in with tasks to do': { sts: 'pending' },
      'an ID token': { nonce: 'n' },
    },
  },
  'WorkOS AuthKit': {
    claims: {
      sub: 'user_01ABC',
      sid: 'session_01ABC',
      org_id: 'org_01ABC',
      role: 'member',
      permissions: ['keys:read'],
      jti: '01ABC',
    },
    others: { 'no organisation': { org_id: undefined, role: undefined, permissions: undefined } },
    misses: {
      'an audience': { aud: 'client_01OTHER' },
      'another client': { client_id: 'client_01OTHER' },
      'a colleague who impersonates somebody': { act: { sub: 'admin@example.com' } },
      'an ID token': { at_hash: 'h' },
    },
  },
  Supabase: {
    claims: {
      sub: '11111111-2222-4333-8444-555555555555',
      aud: 'authenticated',
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: 1 }],
      session_id: '66666666-2222-4333-8444-555555555555',
      is_anonymous: false,
      email: 'alice@example.com',
      app_metadata: { provider: 'email' },
      user_metadata: {},
    },
    others: { 'no word of anonymity': { is_anonymous: undefined } },
    misses: {
      'the key of the service': { role: 'service_role' },
      'the public key': { role: 'anon' },
      'no role': { role: undefined },
      'several roles': { role: ['authenticated'] },
      'an anonymous person': { is_anonymous: true },
      'anonymity as a text': { is_anonymous: 'false' },
      'anonymity as null': { is_anonymous: null },
      'a client of its OAuth server': { client_id: '99999999-2222-4333-8444-555555555555' },
      'another audience': { aud: 'another' },
      'no audience': { aud: undefined },
    },
  },
  Firebase: {
    claims: {
      sub: 'aBcDeFgH',
      user_id: 'aBcDeFgH',
      aud: 'example-project',
      auth_time: now() - 60,
      email: 'alice@example.com',
      email_verified: true,
      firebase: { identities: { email: ['alice@example.com'] }, sign_in_provider: 'password' },
    },
    others: {
      'signed in by Google': { firebase: { identities: {}, sign_in_provider: 'google.com' } },
      'what ID tokens have elsewhere': { nonce: 'n', at_hash: 'h' },
    },
    misses: {
      'another project': { aud: 'another-project' },
      'no project': { aud: undefined },
      'no project, but a party': { aud: undefined, azp: 'example-project' },
      'an anonymous person': { firebase: { identities: {}, sign_in_provider: 'anonymous' } },
      'a custom token': { firebase: { identities: {}, sign_in_provider: 'custom' } },
      'no way of signing in': { firebase: {} },
      'a text in its place': { firebase: 'password' },
      'a list of ways': { firebase: { sign_in_provider: ['password'] } },
      'another party': { azp: 'another-project' },
      'an access token': { token_use: 'access' },
      'the type of an access token': (_forge, make) => make({}, { typ: 'at+jwt' }),
    },
  },
};

let forge: Forge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge[Symbol.asyncDispose]());

const page = readFileSync('docs/providers.md', 'utf8');

/** The recipe of the page, for an issuer that the tests can sign for. */
const configOf = (provider: string): IssuerConfig => {
  const variables = recipesOf(page).get(provider) ?? {};
  const [config] = loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...variables }).issuers;
  if (!config) throw new Error(`no recipe for ${provider}`);
  return { ...config, issuer: forge.config.issuer, jwksUri: undefined, algorithms };
};

const usual = { scope: undefined, aud: undefined };

describe.each(Object.entries(providers))(
  '%s, configured as documented',
  (name, { claims, others, misses }) => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await createTestGateway({ ...forge, config: configOf(name) });
    });
    afterAll(() => gateway[Symbol.asyncDispose]());

    const make: Make = (changes, header = { typ: 'JWT' }) =>
      forge.forge({ header, claims: { ...usual, ...claims, ...changes } });

    const statusesOf = async (token: string) => [
      (await gateway.rest('POST', '/auth/keys', { token, json: { name: 'Laptop' } })).status,
      (await gateway.graphql('{ apiKeys { edges { node { id } } } }', { token })).status,
    ];

    it.each(Object.entries({ 'as shown': {}, ...others }))(
      "a person's token passes: %s",
      async (_what, changes) => {
        expect(await statusesOf(make(changes))).toEqual([201, 200]);
      },
    );

    it.each(Object.entries({ ...always, ...misses }))('refused: %s', async (_what, token) => {
      const text = typeof token === 'function' ? token(forge, make) : make(token);
      expect(await statusesOf(text)).toEqual([401, 401]);
    });

    it('a token with a claim for scopes has only these', async () => {
      expect(await statusesOf(make({ scope: '' }))).toEqual([403, 403]);
      expect(await statusesOf(make({ scp: [] }))).toEqual([403, 403]);
      expect(await statusesOf(make({ scope: 'openid email profile' }))).toEqual([403, 200]);
    });

    it('nobody gets a scope over others', async () => {
      const token = make({});
      expect((await gateway.rest('GET', '/admin/accounts', { token })).status).toBe(403);
      const asked = { token, json: { key: 'sk-nothing' } };
      expect((await gateway.rest('POST', '/keys/verify', asked)).status).toBe(403);
    });
  },
);

describe('Microsoft Entra ID, configured as documented', () => {
  let gateway: TestGateway;
  let aud: string | undefined;
  beforeAll(async () => {
    const config = configOf('Microsoft Entra ID');
    [aud] = config.audiences;
    gateway = await createTestGateway({ ...forge, config });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const statusOf = async (changes: Readonly<Record<string, unknown>>) => {
    const claims = { scope: undefined, aud, roles: ['keys.verify'], idtyp: 'app', azp: 'client', ...changes };
    const token = forge.forge({ header: { typ: 'JWT' }, claims });
    return (await gateway.rest('POST', '/keys/verify', { token, json: { key: 'sk-nothing' } })).status;
  };

  it('a server by client credentials verifies keys', async () => {
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ roles: ['keys.verify', 'another'] })).toBe(200);
  });

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['another role', { roles: ['keys.read'] }, 403],
    ['no role', { roles: undefined }, 403],
    ['an empty list', { roles: [] }, 403],
    ['two roles in one text of a list', { roles: ['keys.verify keys.read'] }, 403],
    ['a role in another case', { roles: ['Keys.Verify'] }, 403],
    ['a scope of people with its name', { roles: undefined, scp: 'own.use' }, 403],
    ['roles of another type', { roles: { 'keys.verify': true } }, 401],
    ['roles of mixed types', { roles: ['keys.verify', 1] }, 401],
    ['another API', { aud: '77777777-7777-8888-9999-000000000000' }, 401],
    ['no audience', { aud: undefined }, 401],
    ['an ID token', { nonce: 'n' }, 401],
    ['another tenant', { iss: 'https://login.microsoftonline.com/another/v2.0' }, 401],
  ])('%s → %s', async (_what, changes, status) => {
    expect(await statusOf(changes)).toBe(status);
  });
});

describe('several keys with one name', () => {
  it.each([
    ['RSA first', false],
    ['RSA last', true],
  ])('verify tokens of their algorithms: %s', async (_order, isReversed) => {
    await using own = await startForge();
    const [main] = own.published.keys;
    const { publicKey } = own.keys.p256;
    const both = [main, { ...publicKey.export({ format: 'jwk' }), kid: 'test-1' }];
    own.published.keys.splice(
      0,
      own.published.keys.length,
      ...((isReversed ? both.toReversed() : both) as never[]),
    );
    await using gateway = await createTestGateway(own);
    const statusOf = async (token: string) =>
      (await gateway.rest('GET', '/auth/private-key', { token })).status;
    const byCurve = { header: { alg: 'ES256' }, key: own.keys.p256.privateKey };
    for (const _ of [1, 2]) {
      expect(await statusOf(own.forge())).toBe(200);
      expect(await statusOf(own.forge(byCurve))).toBe(200);
    }
    // Each algorithm has its own key, and no other.
    expect(await statusOf(own.forge({ ...byCurve, key: own.keys.k256.privateKey }))).toBe(401);
    expect(await statusOf(own.forge({ key: own.keys.stranger.privateKey }))).toBe(401);
    expect(await statusOf(own.forge({ header: { alg: 'ES384' }, key: own.keys.p384.privateKey }))).toBe(401);
  });
});
