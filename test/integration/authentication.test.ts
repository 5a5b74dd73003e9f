import { describe, expect, it } from 'vitest';
import { challenge } from '../support/challenge.ts';
import type { Answer, Call } from '../support/gateway.ts';
import type { TokenClaims } from '../support/issuer.ts';
import { createApiKeys } from '../support/key-suite.ts';
import { sidesOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { inputsOf, type OperationName, operations } from '../support/two-sides.ts';

const setup = setUpGateway();

const read = ['openid', 'email', 'profile'];
const change = ['idp.signin.user.admin', ...read];

/** The scopes of each operation, written out: a scope that the schema loses is missed here. */
const scopesOf: Record<OperationName, readonly string[]> = {
  apiKeys: read,
  apiKey: read,
  defaultApiKey: read,
  apiKeysUsage: read,
  apiKeyUsage: read,
  apiKeySecrets: read,
  privateKeyStatus: read,
  myAccounts: ['openid', 'email', 'profile'],
  myEntitlement: read,
  automationSettings: read,
  updateAutomationSettings: read,
  auditEvents: read,
  createApiKey: change,
  updateApiKey: change,
  setDefaultApiKey: change,
  rotateApiKey: change,
  endApiKeySecret: change,
  pauseApiKey: change,
  resumeApiKey: change,
  deactivateApiKey: change,
  registerPrivateKey: change,
  removePrivateKey: change,
  verifyApiKey: ['keys.verify'],
  importApiKey: ['keys.import'],
  ensureAccount: ['accounts.act'],
  entitlement: ['accounts.entitle'],
  setEntitlement: ['accounts.entitle'],
  setEntitlementBySubject: ['accounts.entitle'],
  accounts: ['keyward.admin'],
  account: ['keyward.admin'],
  accountApiKey: ['keyward.admin'],
  accountApiKeys: ['keyward.admin'],
  accountApiKeyUsage: ['keyward.admin'],
  accountUsage: ['keyward.admin'],
  accountAuditEvents: ['keyward.admin'],
  blockAccount: ['keyward.admin'],
  unblockAccount: ['keyward.admin'],
  eraseAccount: ['keyward.admin'],
  deactivateAccountApiKey: ['keyward.admin'],
  pauseAccountApiKey: ['keyward.admin'],
  resumeAccountApiKey: ['keyward.admin'],
  findApiKey: ['keyward.admin'],
  webhookEndpoints: ['keyward.admin'],
  auditTrail: ['keyward.audit'],
  webhookEndpoint: ['keyward.admin'],
  createWebhookEndpoint: ['keyward.admin'],
  updateWebhookEndpoint: ['keyward.admin'],
  rotateWebhookSecret: ['keyward.admin'],
  removeWebhookEndpoint: ['keyward.admin'],
  webhookDeliveries: ['keyward.admin'],
  webhookDelivery: ['keyward.admin'],
  resendWebhookDelivery: ['keyward.admin'],
};

const noToken = challenge();
const badToken = challenge(', error="invalid_token"');
const lacking = (scopes: readonly string[]) =>
  challenge(`, error="insufficient_scope", scope="${scopes.join(' ')}"`);

/** Tokens that no operation accepts, whatever its scopes. */
const badTokens: [string, () => Promise<string>][] = [
  ['not a JWT', async () => 'token'],
  ['nothing', async () => ''],
  ['not signed by the issuer', async () => `${await setup.sign()}x`],
  ['expired', () => setup.sign({ exp: Math.floor(Date.now() / 1000) - 62 })],
  ['for another audience', () => setup.sign({ aud: 'another' })],
  ['of another issuer', () => setup.sign({ iss: 'https://id.example.com' })],
  ['without a subject', () => setup.sign({ sub: undefined } as never)],
];

describe.each(operations.map((operation) => [operation, scopesOf[operation]] as const))('%s', (...row) => {
  const [operation, scopes] = row;
  const withScopes = (granted: readonly string[]): TokenClaims => ({ scope: granted.join(' ') });

  // Input is read after authentication: none is sent but what the path needs.
  const inPath = inputsOf(operation).filter((argument) => argument.in === 'path');
  const input = Object.fromEntries(inPath.map(({ name }) => [name, name === 'prefix' ? 'sk-a1b2c3' : 1]));

  it.each(sidesOf(setup))(
    'over %s: no token → 401, a scope missing → 403, all scopes → allowed',
    async (...side) => {
      const [, call] = side;
      const before = await setup.stored();
      expect(await call(operation, input, null)).toEqual({
        status: 401,
        code: 'UNAUTHENTICATED',
        challenge: noToken,
        message: 'Not authenticated',
      });
      for (const missing of scopes) {
        const granted = scopes.filter((scope) => scope !== missing);
        expect(await call(operation, input, withScopes(granted))).toEqual({
          status: 403,
          code: 'FORBIDDEN',
          challenge: lacking(scopes),
          message: `The access token lacks the scope: ${missing}`,
        });
      }
      expect(await setup.stored()).toEqual(before);
      expect((await call(operation, input, withScopes(scopes))).status).toBeOneOf([
        200, 201, 400, 404, 409, 422,
      ]);
    },
  );

  it.each(sidesOf(setup))('over %s: a bad token → 401', async (_transport, call) => {
    for (const [, makeToken] of badTokens) {
      expect(await call(operation, input, await makeToken())).toEqual({
        status: 401,
        code: 'UNAUTHENTICATED',
        challenge: badToken,
        message: 'Could not validate credentials',
      });
    }
    expect(await setup.stored()).toMatchObject({ account: [], audit_event: [] });
  });
});

type Transport = 'REST' | 'GraphQL' | 'GraphQL as application/json';

/** Deactivates key 1, the one operation that all of the following is about. */
const deactivate = (transport: Transport, { headers, ...rest }: Call): Promise<Answer> => {
  if (transport === 'REST')
    return setup.gateway.rest('DELETE', '/auth/keys/1', { ...rest, ...(headers && { headers }) });
  const accept = transport === 'GraphQL' ? 'application/graphql-response+json' : 'application/json';
  const query = 'mutation { deactivateApiKey(keyId: 1) { id } }';
  return setup.gateway.graphql(query, { ...rest, headers: { accept, ...headers } });
};

/** The body in which a transport refuses. */
const refusal = (transport: Transport, message: string, code: string) =>
  transport === 'REST' ? { detail: message } : { errors: [{ message, extensions: { code } }] };

const transports: Transport[] = ['REST', 'GraphQL', 'GraphQL as application/json'];

describe.each(transports)('a token over %s', (transport) => {
  const expectRefusal = (answer: Answer, message: string, expected: string) => {
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(refusal(transport, message, 'UNAUTHENTICATED'));
    expect(answer.headers.get('www-authenticate')).toBe(expected);
  };

  const expectSuccess = (answer: Answer) => {
    expect(answer.status).toBe(200);
    expect(answer.body.errors).toBeUndefined();
  };

  it.each([
    ['no token', undefined],
    ['another scheme', 'Basic YWxpY2U6c2VjcmV0'],
    ['a scheme that only begins alike', 'Bearers a.b.c'],
    ['no scheme', 'a.b.c'],
  ])('%s → a challenge without an error', async (_name, authorization) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const answer = await deactivate(transport, { headers: authorization ? { authorization } : {} });
    expectRefusal(answer, 'Not authenticated', noToken);
    expect(await setup.stored()).toEqual(before);
  });

  it.each(badTokens)('a token that is bad → the same message for each: %s', async (_name, token) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const answer = await deactivate(transport, { headers: { authorization: `Bearer ${await token()}` } });
    expectRefusal(answer, 'Could not validate credentials', badToken);
    expect(await setup.stored()).toEqual(before);
  });

  it.each(['bearer', 'BEARER', 'BeArEr'])('the scheme as %s → allowed', async (scheme) => {
    await createApiKeys(setup);
    const authorization = `${scheme} ${await setup.sign({ scope: change.join(' ') })}`;
    expectSuccess(await deactivate(transport, { headers: { authorization } }));
  });

  it.each([
    ['with its `kid`', 'ed25519'],
    ['without `kid`, since it is the only key of its algorithm', undefined],
  ])('signed with Ed25519 %s → allowed', async (_name, kid) => {
    await createApiKeys(setup);
    const token = await setup.signByEd25519({ scope: change.join(' ') }, { kid });
    expectSuccess(await deactivate(transport, { token }));
  });

  it('signed with Ed25519 and another `kid` → 401', async () => {
    await createApiKeys(setup);
    const token = await setup.signByEd25519({ scope: change.join(' ') }, { kid: 'test-1' });
    expectRefusal(await deactivate(transport, { token }), 'Could not validate credentials', badToken);
  });
});

describe.each(transports)('the scopes of a token over %s', (transport) => {
  const without = (missing: string) => change.filter((scope) => scope !== missing);

  const expectRefusal = (answer: Answer, missing: string) => {
    expect(answer.status).toBe(403);
    const message = `The access token lacks the scope: ${missing}`;
    expect(answer.body).toEqual(refusal(transport, message, 'FORBIDDEN'));
    expect(answer.headers.get('www-authenticate')).toBe(lacking(change));
  };

  it.each(
    change.flatMap((missing) => [
      [missing, 'scope, a string', { scope: without(missing).join(' ') }],
      [missing, 'scp, a string', { scope: undefined, scp: without(missing).join(' ') }],
      [missing, 'scp, an array', { scope: undefined, scp: without(missing) }],
    ]),
  )('%s missing in %s → 403, which names it', async (missing, _claim, claims) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expectRefusal(await deactivate(transport, { token: await setup.sign(claims as never) }), `${missing}`);
    expect(await setup.stored()).toEqual(before);
  });

  const [one = ''] = change;
  it.each([one.slice(0, -2), `${one}2`, one.toUpperCase(), `${one},`])(
    `%s instead of ${one} → 403`,
    async (scope) => {
      const token = await setup.sign({ scope: [scope, ...without(one)].join(' ') });
      expectRefusal(await deactivate(transport, { token }), one);
    },
  );

  it.each([{ scope: '' }, { scope: undefined }, { scope: undefined, scp: [] }])(
    'all missing → 403, which names all: %o',
    async (claims) => {
      const token = await setup.sign(claims as never);
      expectRefusal(await deactivate(transport, { token }), change.join(' '));
    },
  );

  it.each([
    ['scope, a string', { scope: change.join(' ') }],
    ['scope, in another order and with more', { scope: ['offline', ...change.toReversed()].join(' ') }],
    ['scp, a string', { scope: undefined, scp: change.join(' ') }],
    ['scp, an array', { scope: undefined, scp: change }],
  ])('all in %s → allowed', async (_name, claims) => {
    await createApiKeys(setup);
    const answer = await deactivate(transport, { token: await setup.sign(claims as never) });
    expect(answer.status).toBe(200);
    expect(answer.body.errors).toBeUndefined();
  });
});
