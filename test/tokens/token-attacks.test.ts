import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IssuerConfig } from '../../src/config/config.ts';
import { forgedTokens } from '../support/forged-tokens.ts';
import { type Answer, type Call, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { issuerSettings } from '../support/issuer-settings.ts';
import { type Forge, type Recipe, startForge } from '../support/token-forge.ts';

let forge: Forge;
let gateway: TestGateway;

beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge[Symbol.asyncDispose]());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00.000Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Gives the tests of a group one gateway. */
const setUp = (settings: (typeof issuerSettings)[string] = (config) => ({ config })) => {
  beforeAll(async () => {
    const { config, issuers } = settings(forge.config);
    gateway = await createTestGateway({ ...forge, config }, issuers ? { issuers } : {});
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
};

type Transport = 'REST' | 'GraphQL';
const transports: Transport[] = ['REST', 'GraphQL'];

const query = '{ privateKeyStatus { hasKey } }';

const call = (transport: Transport, input: Call, called = gateway): Promise<Answer> =>
  transport === 'REST' ? called.rest('GET', '/auth/private-key', input) : called.graphql(query, input);

const refusals = {
  REST: { detail: 'Could not validate credentials' },
  GraphQL: {
    errors: [{ message: 'Could not validate credentials', extensions: { code: 'UNAUTHENTICATED' } }],
  },
};

const challenge =
  'Bearer realm="keyward", error="invalid_token", resource_metadata="http://keyward.test/.well-known/oauth-protected-resource"';

const lastReason = (called = gateway) => called.log().at(-1)?.['reason'];

const expectRefused = (transport: Transport, answer: Answer, reason: string, called = gateway) => {
  expect({ status: answer.status, body: answer.body, reason: lastReason(called) }).toEqual({
    status: 401,
    body: refusals[transport],
    reason,
  });
  expect(answer.headers.get('www-authenticate')).toBe(challenge);
};

const expectAccepted = (transport: Transport, answer: Answer) => {
  expect({ status: answer.status, reason: lastReason() }).toEqual({ status: 200, reason: undefined });
  const expected =
    transport === 'REST' ? { has_key: false } : { data: { privateKeyStatus: { hasKey: false } } };
  expect(answer.body).toMatchObject(expected);
};

const ways = Object.entries(issuerSettings).flatMap(([name, settings]) =>
  transports.map((transport) => [name, transport, settings] as const),
);

describe.each(ways)('a forged token of %s over %s', (_name, transport, settings) => {
  setUp(settings);

  it.each(forgedTokens)('$reason: $name', async ({ reason, forged, twin }) => {
    expectRefused(transport, await call(transport, { token: forged(forge) }), reason);
    expectAccepted(transport, await call(transport, { token: twin(forge) }));
  });

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+JWT'])(
    'a good token of the type %s → accepted',
    async (typ) => {
      expectAccepted(transport, await call(transport, { token: forge.forge({ header: { typ } }) }));
    },
  );
});

/**
 * What differs for an issuer of ID tokens: it refuses the type of access tokens, and accepts what only ID tokens have. A
 * token with the other type is shorter.
 */
const ofIdTokens = forgedTokens.filter(({ reason }) => !/-(id-token|type|too-long)$/.test(reason));

describe.each(transports)('a forged token of an issuer that gives ID tokens, over %s', (transport) => {
  setUp((config) => ({ config: { ...config, givesIdTokens: true, people: ['openid', 'email', 'profile'] } }));

  /** Makes tokens without the type of access tokens. */
  const plain = (): Forge => ({
    ...forge,
    forge: (recipe = {}) =>
      forge.forge(
        typeof recipe.header === 'string' ? recipe : { ...recipe, header: { typ: 'JWT', ...recipe.header } },
      ),
  });

  it.each(ofIdTokens)('$reason: $name', async ({ forged }) => {
    expect((await call(transport, { token: forged(plain()) })).status).toBe(401);
  });

  it('a good one → accepted', async () => {
    expectAccepted(transport, await call(transport, { token: plain().forge({ claims: { nonce: 'n' } }) }));
  });

  it.each<[string, Recipe]>([
    ['the type of access tokens', { header: { typ: 'at+jwt' } }],
    ['an access token of Cognito', { claims: { token_use: 'access' } }],
    ['an access token of Keycloak', { claims: { typ: 'Bearer' } }],
    ['no audience, but our client', { claims: { aud: undefined, client_id: 'our-client' } }],
    ['a party that is not ours', { claims: { azp: 'another' } }],
  ])('%s → refused', async (_what, recipe) => {
    expect((await call(transport, { token: plain().forge(recipe) })).status).toBe(401);
  });
});

/** A gateway that trusts the same issuer under another configuration. */
const trusting = (config: Partial<IssuerConfig>) =>
  createTestGateway({ ...forge, config: { ...forge.config, ...config } });

describe.each(transports)('the configuration of an issuer, over %s', (transport) => {
  setUp();

  it.each<[string, Partial<IssuerConfig>, Recipe, string]>([
    ['a client id', { clientIds: [] }, { claims: { aud: undefined, client_id: 'our-client' } }, 'audience'],
    ['an audience', { audiences: [] }, {}, 'audience'],
    ['an algorithm', { algorithms: ['RS256'] }, { header: { alg: 'PS256', kid: 'rsa' } }, 'algorithm'],
  ])('%s is accepted only if the configuration names it', async (_name, config, recipe, reason) => {
    const key = recipe.header ? forge.keys.rsa.privateKey : forge.keys.main.privateKey;
    const token = forge.forge({ ...recipe, key });
    await using strict = await trusting(config);
    expectRefused(transport, await call(transport, { token }, strict), `token-${reason}`, strict);
    expectAccepted(transport, await call(transport, { token }));
  });
});

const notAuthenticated = {
  REST: { detail: 'Not authenticated' },
  GraphQL: { errors: [{ message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } }] },
};

describe('a good token in the wrong place', () => {
  setUp();

  const expectUnseen = (transport: Transport, answer: Answer) => {
    expect({ status: answer.status, body: answer.body, reason: lastReason() }).toEqual({
      status: 401,
      body: notAuthenticated[transport],
      reason: 'no-token',
    });
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="keyward", resource_metadata="http://keyward.test/.well-known/oauth-protected-resource"',
    );
  };

  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each<[string, Transport, string, string, (token: string) => Call]>([
    ['query string', 'REST', 'GET', '/api/v1/auth/private-key?access_token=%', () => ({})],
    [
      'query string',
      'GraphQL',
      'GET',
      `/graphql?query=${encodeURIComponent(query)}&access_token=%`,
      () => ({}),
    ],
    ['query string of a POST', 'GraphQL', 'POST', '/graphql?access_token=%', () => ({ json: { query } })],
    ['body', 'REST', 'PUT', '/api/v1/automation/settings', (token) => ({ json: { access_token: token } })],
    ['body', 'GraphQL', 'POST', '/graphql', (token) => ({ json: { query, access_token: token } })],
    ['extensions', 'GraphQL', 'POST', '/graphql', (token) => ({ json: { query, extensions: { token } } })],
    [
      'form',
      'REST',
      'PUT',
      '/api/v1/automation/settings',
      (token) => ({ headers: form, body: `access_token=${token}` }),
    ],
    ['form', 'GraphQL', 'POST', '/graphql', (token) => ({ headers: form, body: `access_token=${token}` })],
    [
      'cookie',
      'REST',
      'GET',
      '/api/v1/auth/private-key',
      (token) => ({ headers: { cookie: `access_token=${token}` } }),
    ],
    [
      'cookie',
      'GraphQL',
      'POST',
      '/graphql',
      (token) => ({ json: { query }, headers: { cookie: `access_token=${token}` } }),
    ],
    [
      'header of its own',
      'REST',
      'GET',
      '/api/v1/auth/private-key',
      (token) => ({ headers: { 'x-access-token': token } }),
    ],
    [
      'header of its own',
      'GraphQL',
      'POST',
      '/graphql',
      (token) => ({ json: { query }, headers: { 'x-access-token': token } }),
    ],
    [
      'Basic',
      'REST',
      'GET',
      '/api/v1/auth/private-key',
      (token) => ({ headers: { authorization: `Basic ${token}` } }),
    ],
    [
      'Basic',
      'GraphQL',
      'POST',
      '/graphql',
      (token) => ({ json: { query }, headers: { authorization: `Basic ${token}` } }),
    ],
  ])('is ignored → 401: %s over %s', async (_name, transport, method, path, build) => {
    const token = forge.forge();
    const accept = { accept: 'application/graphql-response+json' };
    const input = build(token);
    const headers = { ...accept, ...input.headers };
    expectUnseen(transport, await gateway.fetch(method, path.replace('%', token), { ...input, headers }));
    expectAccepted(transport, await call(transport, { token }));
  });
});

describe('a forged token together with other faults', () => {
  setUp();

  const forged = () => forge.forge({ claims: { aud: 'other' } });

  it.each<[string, string, string, Call, number]>([
    ['a bad id', 'DELETE', '/auth/keys/abc', {}, 422],
    [
      'a body that is not JSON',
      'PUT',
      '/automation/settings',
      { body: '{', headers: { 'content-type': 'application/json' } },
      422,
    ],
    ['a body of the wrong type', 'PUT', '/automation/settings', { json: { session_duration: 'x' } }, 422],
    [
      'a media type',
      'PUT',
      '/automation/settings',
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
    ],
  ])('is refused over REST: %s', async (_name, method, path, input, otherwise) => {
    const scope = 'openid email profile idp.signin.user.admin';
    const token = forge.forge({ claims: { scope } });
    expectRefused('REST', await gateway.rest(method, path, { ...input, token: forged() }), 'token-audience');
    expect((await gateway.rest(method, path, { ...input, token })).status).toBe(otherwise);
  });

  it.each<[string, string, number]>([
    ['a syntax error', '{', 400],
    ['an unknown field', '{ nothing }', 400],
    ['a bad argument', 'mutation { deactivateApiKey(keyId: "x") { id } }', 403],
  ])('is refused over GraphQL: %s', async (_name, document, otherwise) => {
    expectRefused('GraphQL', await gateway.graphql(document, { token: forged() }), 'token-audience');
    expect((await gateway.graphql(document, { token: forge.forge() })).status).toBe(otherwise);
  });
});

describe('the table of forged tokens', () => {
  it('has a different name for each', () => {
    const names = forgedTokens.map(({ reason, name }) => `${reason}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(40);
  });

  it('no forged token caused a request to the address in it', () => {
    expect(forge.attackerRequests()).toBe(0);
  });
});
