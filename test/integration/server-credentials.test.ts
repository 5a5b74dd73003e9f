import { beforeEach, describe, expect, it } from 'vitest';
import { challenge } from '../support/challenge.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createPeople, trailOf } from '../support/operators.ts';
import { recordStatements } from '../support/record-statements.ts';
import { basic, createServer, type TestServer, withAuthorization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import {
  callGraphql,
  callRest,
  exampleOf,
  type OperationName,
  operations,
  scopesOf,
} from '../support/two-sides.ts';

const checkout = createServer('checkout', 'keys.verify');
const billing = createServer('billing', 'accounts.entitle');
const mover = createServer('mover', 'keys.import');
const actor = createServer('actor', 'accounts.act');
const support = createServer('support', 'keyward.admin');
const auditor = createServer('auditor', 'keyward.audit');
const everything = createServer(
  'everything',
  'keys.verify',
  'keys.import',
  'accounts.act',
  'accounts.entitle',
  'keyward.admin',
  'keyward.audit',
);
const servers = [checkout, billing, mover, actor, support, auditor, everything];

const setup = setUpGateway({ servers });

/** The ways in which a server signs in. */
const ways: [name: string, authorization: (server: TestServer) => string][] = [
  ['Bearer', ({ secret }) => `Bearer ${secret}`],
  ['Basic', ({ name, secret }) => basic(name, secret)],
];

/** The operations that each server may call, by the scopes that the operations name. */
const mayCall = ({ scopes }: TestServer, operation: OperationName): boolean =>
  scopesOf(operation).every(
    (scope) =>
      scopes.some((each) => each === scope) ||
      (['accounts.entitle', 'keyward.audit'].includes(scope) && scopes.includes('keyward.admin')) ||
      (operation === 'ensureAccount' &&
        (scopes.includes('accounts.entitle') || scopes.includes('keyward.admin'))),
  );

/** The operations that a caller reaches, of all that there are. All others must be refused for want of a scope. */
async function reachedBy(
  gateway: Parameters<typeof callRest>[0],
  send: typeof callRest,
  token?: string,
): Promise<OperationName[]> {
  const reached: OperationName[] = [];
  for (const operation of operations) {
    const { status, body, headers } = await send(gateway, exampleOf(operation), token);
    expect(status, operation).not.toBe(401);
    if (status === 403) {
      expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
      expect(JSON.stringify(body)).toContain('lacks the scope');
    } else {
      expect(status, operation).toBeOneOf([200, 201, 404, 409, 422]);
      reached.push(operation);
    }
  }
  return reached;
}

describe.each(ways)('by %s', (_way, authorizationOf) => {
  const asServer = (server: TestServer) => withAuthorization(setup.gateway, authorizationOf(server));

  describe.each([
    ['REST', callRest],
    ['GraphQL', callGraphql],
  ] as const)('over %s', (_transport, send) => {
    beforeEach(() => createPeople(setup));

    it.each(servers.map((server) => [server.name, server] as const))(
      'the credential %s reaches the operations of its scopes, and no others',
      async (_name, server) => {
        const reached = await reachedBy(asServer(server), send);
        expect(reached).toEqual(operations.filter((operation) => mayCall(server, operation)));
        expect(reached.length).toBeGreaterThan(0);
        // Written out: the schema could give the scope to another operation.
        if (server === auditor) expect(reached).toEqual(['auditTrail']);
      },
    );

    it('none reaches what belongs to a person, and the database is not asked', async () => {
      const ofPeople = operations.filter((operation) => scopesOf(operation).includes('openid'));
      expect(ofPeople).toEqual(
        expect.arrayContaining(['deactivateApiKey', 'privateKeyStatus', 'auditEvents']),
      );
      const { sql } = await recordStatements(setup.gateway.database, async () => {
        for (const operation of ofPeople) {
          const answer = await send(asServer(everything), exampleOf(operation), undefined);
          expect(answer.status, operation).toBe(403);
        }
      });
      expect(sql).toEqual([]);
    });
  });

  it('a wrong secret is refused, and the answer is the same for a name that exists and one that does not', async () => {
    const wrong = createServer('checkout', 'keys.verify');
    const other = createServer('nobody', 'keys.verify');
    const answers = await Promise.all(
      [wrong, other, { ...checkout, secret: `${checkout.secret}0` }].map((server) =>
        asServer(server).rest('POST', '/keys/verify', { json: { key: 'sk-' } }),
      ),
    );
    for (const { status, text, headers } of answers) {
      expect(status).toBe(401);
      expect(text).toBe('{"detail":"Could not validate credentials"}');
      expect(headers.get('www-authenticate')).toBe(answers[0]?.headers.get('www-authenticate'));
    }
    expect(setup.gateway.log().map(({ reason }) => reason)).toEqual(Array(3).fill('token-server-secret'));
  });

  it('two secrets of one name both work', async () => {
    const second = createServer('checkout', 'keys.verify');
    await using gateway = await createTestGateway(setup.issuer, { servers: [checkout, second] });
    for (const server of [checkout, second]) {
      const asked = withAuthorization(gateway, authorizationOf(server));
      expect((await asked.rest('POST', '/keys/verify', { json: { key: 'sk-' } })).status).toBe(200);
    }
  });
});

describe.each([
  ['REST', callRest],
  ['GraphQL', callGraphql],
] as const)('over %s', (_transport, send) => {
  it.each([
    ['a person', { sub: 'ada' }],
    ["a provider's server", { sub: 'collector', client_id: 'collector' }],
  ])(
    'an access token of %s with keyward.audit alone reaches auditTrail, and nothing else',
    async (_whose, claims) => {
      await createPeople(setup);
      const token = await setup.sign({ ...claims, scope: 'keyward.audit' });
      expect(await reachedBy(setup.gateway, send, token)).toEqual(['auditTrail']);
    },
  );
});

describe('what a server is asked for', () => {
  const verifyAs = (authorization: string) =>
    withAuthorization(setup.gateway, authorization).rest('POST', '/keys/verify', { json: { key: 'sk-' } });

  it.each([
    ['the name of another server', basic('billing', checkout.secret)],
    ['no name', basic('', checkout.secret)],
    ['a name in other letters', basic('Checkout', checkout.secret)],
    ['no secret', basic('checkout', '')],
    ['no colon', `Basic ${Buffer.from(checkout.secret).toString('base64')}`],
    ['no base64', `Basic checkout:${checkout.secret}`],
    ['base64 of no UTF-8', 'Basic /////w=='],
    ['base64 in another spelling', `${basic('checkout', checkout.secret)}=`],
    ['nothing', 'Basic'],
    ['the secret twice', basic('checkout', `${checkout.secret}:${checkout.secret}`)],
    ['the digest in place of the secret', basic('checkout', checkout.digest.toString('base64url'))],
  ])('%s → 401, with the challenge of HTTP Basic', async (_name, authorization) => {
    const { status, headers } = await verifyAs(authorization);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Basic realm="keyward", charset="UTF-8"');
  });

  it.each([
    ['an unknown secret', `Bearer ${createServer('x').secret}`],
    ['the beginning alone', 'Bearer kws_'],
    ['a shorter secret', `Bearer ${checkout.secret.slice(0, -1)}`],
    ['a secret in other letters', `Bearer ${checkout.secret.toUpperCase().replace('KWS_', 'kws_')}`],
    ['the digest', `Bearer kws_${checkout.digest.toString('hex')}`],
    ['a very long secret', `Bearer kws_${'0'.repeat(9000)}`],
  ])('%s → 401, with the challenge of a token', async (_name, authorization) => {
    const { status, headers } = await verifyAs(authorization);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(challenge(', error="invalid_token"'));
  });

  it.each(['basic', 'BASIC'])('the scheme %s is the same', async (scheme) => {
    expect((await verifyAs(basic('checkout', checkout.secret).replace('Basic', scheme))).status).toBe(200);
  });

  it('a secret is no API key', async () => {
    for (const headers of [{ 'x-api-key': checkout.secret }, { authorization: `Bearer ${checkout.secret}` }])
      for (const path of ['/keys/authorize', '/keys/self'])
        expect((await setup.gateway.rest('GET', path, { headers })).status).toBe(401);
  });

  it('introspection needs no scope, and has no bound for a server', async () => {
    const gateway = withAuthorization(setup.gateway, basic('checkout', checkout.secret));
    const { status, body } = await gateway.fetch('POST', '/graphql', {
      json: { query: '{ __schema { types { name fields { name description } } } }' },
    });
    expect(status).toBe(200);
    expect(body.data.__schema.types.length).toBeGreaterThan(20);
  });
});

describe('without any credential', () => {
  const plain = setUpGateway();

  it('HTTP Basic means nothing: a request with it is one without a token', async () => {
    const gateway = withAuthorization(plain.gateway, basic('checkout', checkout.secret));
    const rest = await gateway.rest('POST', '/keys/verify', { json: { key: 'sk-' } });
    expect(rest).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
    const probe = await gateway.fetch('POST', '/graphql', { json: { query: '{ __typename }' } });
    expect(probe.status).toBe(200);
  });

  it('a secret is an unacceptable token', async () => {
    const { status, headers } = await plain.gateway.rest('POST', '/keys/verify', {
      token: checkout.secret,
      json: { key: 'sk-' },
    });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('what a server does', () => {
  const asSupport = () => withAuthorization(setup.gateway, `Bearer ${support.secret}`);
  const reason = 'Asked for by phone';

  it('to an account is in its trail by `provider`; only operators see the name', async () => {
    const { bob } = await createPeople(setup);
    const asBilling = withAuthorization(setup.gateway, `Bearer ${billing.secret}`);
    const overrides = { max_active_keys: 5 };
    const entitled = await asBilling.rest('PUT', `/admin/accounts/${bob.id}/entitlement`, {
      json: { overrides },
    });
    expect(entitled.status).toBe(200);
    const ended = await asSupport().rest(
      'DELETE',
      `/admin/keys/${bob.keyId}?${new URLSearchParams({ reason })}`,
    );
    expect(ended.status, ended.text).toBe(200);
    const blocked = await asSupport().rest('POST', `/admin/accounts/${bob.id}/block`, { json: { reason } });
    expect(blocked.status, blocked.text).toBe(200);
    const opened = await asSupport().rest('POST', `/admin/accounts/${bob.id}/unblock`, { json: { reason } });
    expect(opened.status).toBe(200);
    const by = { actor: 'provider', server: 'support', other_id: null, address: null, reason };
    expect(await trailOf(setup, bob.id)).toMatchObject([
      { action: 'account-unblocked', ...by },
      { action: 'account-blocked', ...by },
      { action: 'api-key-deactivated', target: bob.keyId, ...by },
      { action: 'account-entitlement-changed', actor: 'provider', server: 'billing', reason: null },
    ]);
    const own = await setup.call('GET', '/audit-events', undefined, { sub: 'bob' });
    expect(own.body).toHaveLength(4);
    expect(own.text).not.toMatch(/"server":"/);
    const seen = await setup.call('GET', `/admin/accounts/${bob.id}/audit-events`, undefined, {
      sub: 'olivia',
      scope: 'keyward.admin',
    });
    expect(seen.body.map(({ server }: { server: string }) => server)).toEqual([
      ...['support', 'support', 'support', 'billing'],
    ]);
    expect((await setup.gateway.rows('account')).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['bob', 'carol', 'olivia']),
    );
    expect(await setup.gateway.rows('account')).toHaveLength(3);
  });

  it('needs no reason for a plan, also with the scope of operators', async () => {
    const { bob } = await createPeople(setup);
    const path = `/admin/accounts/${bob.id}/entitlement`;
    for (const { secret } of [support, everything]) {
      const overrides = { max_active_keys: secret.length + Number(secret === support.secret) };
      const asked = withAuthorization(setup.gateway, `Bearer ${secret}`);
      expect((await asked.rest('PUT', path, { json: { overrides } })).status).toBe(200);
    }
    expect(await trailOf(setup, bob.id)).toMatchObject([{ server: 'everything' }, { server: 'support' }]);
  });

  it('never counts as a change that somebody made with an access token', async () => {
    const { bob } = await createPeople(setup);
    const { status } = await asSupport().rest('GET', `/admin/accounts/${bob.id}/audit-events`);
    expect(status).toBe(200);
    expect((await setup.gateway.rows('audit_event')).filter(({ actor }) => actor === null)).toEqual([]);
  });

  it('as a read of a trail is recorded for the account', async () => {
    const { bob } = await createPeople(setup);
    const { status } = await asSupport().rest('GET', `/admin/accounts/${bob.id}/audit-events`);
    expect(status).toBe(200);
    expect(await trailOf(setup, bob.id)).toMatchObject([
      { action: 'account-trail-read', actor: 'provider', server: 'support' },
    ]);
  });

  it('to the erasure of an account is done as by an operator', async () => {
    const { carol } = await createPeople(setup);
    expect((await asSupport().rest('DELETE', `/admin/accounts/${carol.id}`)).status).toBe(200);
    expect(await trailOf(setup, carol.id)).toMatchObject([{ action: 'account-erased', server: 'support' }]);
  });

  it('to a webhook endpoint is in the log, because a server has no trail', async () => {
    const created = await asSupport().rest('POST', '/admin/webhooks', {
      json: { url: 'https://hooks.example.com/keyward' },
    });
    expect(created.status, created.text).toBe(201);
    expect(await setup.gateway.rows('audit_event')).toEqual([]);
    expect(await setup.gateway.rows('account')).toEqual([]);
    expect(setup.gateway.log()).toContainEqual(
      expect.objectContaining({
        event: 'webhook-endpoint-created',
        server: 'support',
        endpointId: created.body.id,
      }),
    );
  });

  it('with an Idempotency-Key is refused, because answers are kept for accounts', async () => {
    const answer = await asSupport().rest('POST', '/admin/webhooks', {
      json: { url: 'https://hooks.example.com/keyward' },
      headers: { 'idempotency-key': 'once' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([
      {
        loc: ['header', 'Idempotency-Key'],
        msg: 'Is for people only: a server has no account.',
        type: 'value_error',
      },
    ]);
    expect(await setup.gateway.rows('webhook_endpoint')).toEqual([]);
  });

  it('is in the log by its name, and never by its secret', async () => {
    const asCheckout = withAuthorization(setup.gateway, basic('checkout', checkout.secret));
    await asCheckout.rest('POST', '/keys/verify', { json: { key: 'sk-' } });
    await asCheckout.rest('GET', '/auth/private-key');
    await asCheckout.fetch('POST', '/graphql', { json: { query: '{ nothing }' } });
    const lines = setup.gateway.log().filter(({ msg }) => msg === 'request');
    expect(lines).toMatchObject([
      { server: 'checkout', status: 200 },
      { server: 'checkout', status: 403, reason: 'scope-missing' },
      { server: 'checkout', route: '/graphql' },
    ]);
    for (const line of lines) expect(line).not.toHaveProperty('accountId');
    const text = JSON.stringify(setup.gateway.log());
    for (const { secret, digest } of servers)
      for (const form of [secret, secret.slice(4), basic('checkout', secret), digest.toString('base64url')])
        expect(text).not.toContain(form);
  });
});

describe('limits', () => {
  const late = createServer('late', 'keys.verify');
  const limited = setUpGateway({
    servers: [...servers, late],
    rates: {
      address: { requests: 100, seconds: 60 },
      account: { requests: 3, seconds: 60 },
      verifier: { requests: 2, seconds: 60 },
    },
  });
  const ask = (server: TestServer, path: string, json: object, address = '203.0.113.9') =>
    withAuthorization(limited.gateway, `Bearer ${server.secret}`).rest('POST', path, { json, address });

  it('RATE_LIMIT_VERIFIER counts each name that may verify, and RATE_LIMIT_ACCOUNT each other name', async () => {
    const statusesOf = async (server: TestServer, times: number) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1)
        statuses.push((await ask(server, '/keys/verify', { key: 'sk-' })).status);
      return statuses;
    };
    expect(await statusesOf(checkout, 3)).toEqual([200, 200, 429]);
    expect(await statusesOf(everything, 3)).toEqual([200, 200, 429]);
    expect(await statusesOf(billing, 4)).toEqual([403, 403, 403, 429]);
  });

  it('a wrong secret counts as a wrong API key of its address, and stops no right one', async () => {
    const wrong = createServer('checkout', 'keys.verify');
    const statuses: number[] = [];
    for (let time = 0; time < 60; time += 1)
      statuses.push((await ask(wrong, '/keys/verify', { key: 'sk-' })).status);
    expect(new Set(statuses)).toEqual(new Set([401]));
    // The same address at the door: 60 of its 100 wrong keys are used.
    let tried = 0;
    const door = () =>
      limited.gateway.rest('GET', '/keys/authorize', {
        headers: { 'x-api-key': `sk-${tried}` },
        address: '203.0.113.9',
      });
    for (; tried < 41; tried += 1) statuses.push((await door()).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.at(-1)).toBe(429);
    expect((await ask(late, '/keys/verify', { key: 'sk-' })).status).toBe(200);
    expect((await ask(wrong, '/keys/verify', { key: 'sk-' })).status).toBe(429);
  });
});
