import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { RateCounts } from '../../src/http/rate-limits/limiter.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { heaviestParts } from '../support/heaviest-account.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { recordStatements } from '../support/record-statements.ts';
import { actingFor } from '../support/servers.ts';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer?.[Symbol.asyncDispose]());
afterEach(() => {
  vi.useRealTimers();
});

type Rates = NonNullable<Parameters<typeof createTestGateway>[1]>['rates'];

/** A gateway with these limits, on a database of its own. */
const createLimited = (rates: NonNullable<Rates>, exemptAddresses: readonly string[] = []) =>
  createTestGateway(issuer, { rates, edge: { exemptAddresses } });

type Send = (
  gateway: TestGateway,
  call: { token?: string; address?: string },
) => ReturnType<TestGateway['fetch']>;

const rest: Send = (gateway, call) => gateway.rest('GET', '/auth/private-key', call);
const graphql: Send = (gateway, call) => gateway.graphql('{ privateKeyStatus { hasKey } }', call);
const transports: [string, Send][] = [
  ['REST', rest],
  ['GraphQL', graphql],
];

const statusesOf = async (send: () => ReturnType<TestGateway['fetch']>, times: number) => {
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 1) statuses.push((await send()).status);
  return statuses;
};

const bodyOf = {
  REST: { detail: 'Too Many Requests' },
  GraphQL: { errors: [{ message: 'Too Many Requests', extensions: { code: 'TOO_MANY_REQUESTS' } }] },
};

describe.each(transports)('%s: an address', (name, send) => {
  it('above its limit → 429, before its token is checked', async () => {
    await using gateway = await createLimited({ address: { requests: 2, seconds: 60 } });
    const address = '203.0.113.9';
    expect(await statusesOf(() => send(gateway, { address, token: 'guessed' }), 4)).toEqual([
      401, 401, 429, 429,
    ]);
    const refused = await send(gateway, { address, token: await issuer.sign() });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual(bodyOf[name as keyof typeof bodyOf]);
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=2;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=(60|59)$/);
    expect(refused.headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect((await send(gateway, { address: '203.0.113.10' })).status).toBe(401);
  });

  it('gets the remaining requests in headers', async () => {
    await using gateway = await createLimited({ address: { requests: 3, seconds: 90 } });
    const { status, headers } = await send(gateway, { address: '203.0.113.9', token: await issuer.sign() });
    expect(status).toBe(200);
    expect(headers.get('ratelimit-policy')).toBe('"address";q=3;w=90');
    expect(headers.get('ratelimit')).toMatch(/^"address";r=2;t=(90|89)$/);
    expect(headers.get('retry-after')).toBe(null);
  });

  it('IPv6 is counted by network, in any spelling', async () => {
    await using gateway = await createLimited({ address: { requests: 1, seconds: 60 } });
    expect((await send(gateway, { address: '2001:db8:1:2::1' })).status).toBe(401);
    for (const address of ['2001:db8:1:2:ffff::9', '2001:DB8:0001:2::1', '2001:0db8:1:2:0:0:0:5'])
      expect((await send(gateway, { address })).status).toBe(429);
    expect((await send(gateway, { address: '2001:db8:1:3::1' })).status).toBe(401);
  });

  it('IPv4 within IPv6 is counted as IPv4, in any spelling', async () => {
    const edge = { trustedProxies: ['10.0.0.1'] };
    await using gateway = await createTestGateway(issuer, {
      edge,
      rates: { address: { requests: 1, seconds: 60 } },
    });
    const statusOf = async (client: string) =>
      (
        await gateway.rest('GET', '/auth/keys', {
          address: '::FFFF:10.0.0.1',
          headers: { 'x-forwarded-for': client },
        })
      ).status;
    expect(await statusOf('::FFFF:203.0.113.1')).toBe(401);
    for (const same of ['203.0.113.1', '::ffff:203.0.113.1', '::ffff:cb00:7101', '[::FFFF:203.0.113.1]:443'])
      expect([same, await statusOf(same)]).toEqual([same, 429]);
    for (const other of ['::FFFF:203.0.113.2', '203.0.113.3'])
      expect([other, await statusOf(other)]).toEqual([other, 401]);
  });

  it("IPv4-mapped addresses from Node's dual-stack sockets are counted as IPv4", async () => {
    await using gateway = await createLimited({ address: { requests: 1, seconds: 60 } });
    expect((await send(gateway, { address: '::ffff:203.0.113.1' })).status).toBe(401);
    expect((await send(gateway, { address: '203.0.113.1' })).status).toBe(429);
    expect((await send(gateway, { address: '::ffff:203.0.113.2' })).status).toBe(401);
  });

  it('an exempt address is not counted', async () => {
    await using gateway = await createLimited({ address: { requests: 1, seconds: 60 } }, ['10.0.0.0/8']);
    expect(await statusesOf(() => send(gateway, { address: '10.1.2.3' }), 3)).toEqual([401, 401, 401]);
    expect(await statusesOf(() => send(gateway, { address: '11.1.2.3' }), 2)).toEqual([401, 429]);
  });
});

describe.each(transports)('%s: an account', (name, send) => {
  it('the same subject of another issuer has its own limit', async () => {
    await using other = await startIssuer();
    await using gateway = await createTestGateway(issuer, {
      issuers: [other.config],
      rates: { account: { requests: 1, seconds: 60 }, verifier: { requests: 1, seconds: 60 } },
    });
    const verifier = { sub: 'alice', scope: 'keys.verify' };
    const tokens = [issuer.sign(), other.sign(), issuer.sign(verifier), other.sign(verifier)];
    for (const token of await Promise.all(tokens)) {
      expect((await send(gateway, { token })).status).toBeOneOf([200, 403]);
      expect((await send(gateway, { token })).status).toBe(429);
    }
  });

  it('above the limit → 429, from any address', async () => {
    await using gateway = await createLimited({ account: { requests: 2, seconds: 60 } });
    const token = await issuer.sign({ sub: 'alice' });
    const another = await issuer.sign({ sub: 'alice', jti: 'another' });
    const bob = await issuer.sign({ sub: 'bob' });
    expect((await send(gateway, { token, address: '203.0.113.9' })).status).toBe(200);
    expect((await send(gateway, { token: another, address: '203.0.113.10' })).status).toBe(200);
    const refused = await send(gateway, { token });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject(bodyOf[name as keyof typeof bodyOf]);
    expect(refused.headers.get('ratelimit-policy')).toBe('"account";q=2;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"account";r=0;t=(60|59)$/);
    expect(refused.headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect((await send(gateway, { token: bob })).status).toBe(200);
    expect((await send(gateway, {})).status).toBe(401);
  });

  it('has one limit for both transports', async () => {
    await using gateway = await createLimited({ account: { requests: 1, seconds: 60 } });
    const token = await issuer.sign();
    expect((await send(gateway, { token })).status).toBe(200);
    for (const [, other] of transports) expect((await other(gateway, { token })).status).toBe(429);
  });

  it('is counted in addition to the address', async () => {
    await using gateway = await createLimited({
      address: { requests: 9, seconds: 10 },
      account: { requests: 5, seconds: 60 },
    });
    const { headers } = await send(gateway, { token: await issuer.sign(), address: '203.0.113.9' });
    expect(headers.get('ratelimit-policy')).toBe('"address";q=9;w=10, "account";q=5;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"address";r=8;t=(10|9), "account";r=4;t=(60|59)$/);
  });

  it('requests that fail after authentication count too', async () => {
    await using gateway = await createLimited({ account: { requests: 1, seconds: 60 } });
    const token = await issuer.sign({ scope: 'openid' });
    expect(await statusesOf(() => send(gateway, { token }), 2)).toEqual([403, 429]);
  });
});

describe('a caller that verifies API keys', () => {
  const verifiers: [string, Send][] = [
    ['REST', (gateway, call) => gateway.rest('POST', '/keys/verify', { ...call, json: { key: 'sk-none' } })],
    [
      'GraphQL',
      (gateway, call) => gateway.graphql('mutation { verifyApiKey(key: "sk-none") { valid } }', call),
    ],
  ];

  it.each(verifiers)('has its own limit: %s', async (_name, send) => {
    await using gateway = await createLimited({
      account: { requests: 1, seconds: 60 },
      verifier: { requests: 3, seconds: 60 },
    });
    const token = await issuer.sign({ sub: 'backend', scope: 'keys.verify' });
    const { status, headers } = await send(gateway, { token });
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"verifier";q=3;w=60']);
    expect(await statusesOf(() => send(gateway, { token }), 3)).toEqual([200, 200, 429]);
    expect((await rest(gateway, { token: await issuer.sign() })).status).toBe(200);
  });

  it('without a limit of its own → the account limit does not apply', async () => {
    await using gateway = await createLimited({ account: { requests: 1, seconds: 60 } });
    const token = await issuer.sign({ sub: 'backend', scope: 'keys.verify' });
    const [[, send]] = verifiers as [[string, Send]];
    expect(await statusesOf(() => send(gateway, { token }), 3)).toEqual([200, 200, 200]);
  });
});

describe.each(transports)('%s: a server that acts for an account', (_name, send) => {
  it('has a limit of its own, whatever the account', async () => {
    await using gateway = await createLimited({
      account: { requests: 1, seconds: 60 },
      verifier: { requests: 3, seconds: 60 },
    });
    const accounts = [await gateway.createAccount('alice'), await gateway.createAccount('bob'), 9999];
    const token = await issuer.sign({ sub: 'dashboard', scope: 'accounts.act' });
    const statuses: number[] = [];
    for (const account of accounts) {
      const { status, headers } = await send(actingFor(gateway, account), { token });
      statuses.push(status);
      expect(headers.get('ratelimit-policy')).toBe('"verifier";q=3;w=60');
    }
    expect(statuses).toEqual([200, 200, 404]);
    // A request above the limit costs no statement.
    const { sql } = await recordStatements(gateway.database, async () =>
      expect((await send(actingFor(gateway, accounts[0] ?? 0), { token })).status).toBe(429),
    );
    expect(sql).toEqual([]);
    expect((await send(gateway, { token: await issuer.sign({ sub: 'alice' }) })).status).toBe(200);
  });
});

describe('a GraphQL request', () => {
  const verify = (count: number) =>
    `mutation { ${Array.from({ length: count }, (_, at) => `k${at}: verifyApiKey(key: "sk-${at}") { valid }`).join(' ')} }`;
  const stateOf = ({ headers }: { headers: Headers }) => headers.get('ratelimit')?.replace(/;t=.*/, '');

  it('counts once for each verification in it', async () => {
    await using gateway = await createLimited({ verifier: { requests: 23, seconds: 60 } });
    const token = await issuer.sign({ sub: 'backend', scope: 'keys.verify' });
    const ten = () => gateway.graphql(verify(10), { token });
    const first = await ten();
    expect([first.status, stateOf(first)]).toEqual([200, '"verifier";r=13']);
    expect(first.headers.get('ratelimit-policy')).toBe('"verifier";q=23;w=60');
    expect(stateOf(await ten())).toBe('"verifier";r=3');
    const one = await gateway.rest('POST', '/keys/verify', { token, json: { key: 'sk-none' } });
    expect([one.status, stateOf(one)]).toEqual([200, '"verifier";r=2']);
    const refused = await ten();
    expect([refused.status, stateOf(refused)]).toEqual([429, '"verifier";r=0']);
    expect(refused.body).toEqual({
      errors: [{ message: 'Too Many Requests', extensions: { code: 'TOO_MANY_REQUESTS' } }],
    });
    expect(refused.headers.get('retry-after')).toMatch(/^(60|59)$/);
  });

  it('needs more than is left → refused, and nothing changes', async () => {
    await using gateway = await createLimited({ account: { requests: 5, seconds: 60 } });
    const create = Array.from({ length: 6 }, (_, at) => `k${at}: createApiKey { key }`).join(' ');
    const answer = await gateway.graphql(`mutation { ${create} }`, { token: await issuer.sign() });
    expect(answer.status).toBe(429);
    expect(await gateway.rows('api_key')).toEqual([]);
    expect(gateway.log().at(-1)).toMatchObject({ status: 429, reason: 'rate-limit-account' });
  });

  it.each([
    ['one field', '{ privateKeyStatus { hasKey } }', 1],
    ['one field beside what the schema is', '{ __typename privateKeyStatus { hasKey } }', 1],
    ['nothing but what the schema is', '{ __typename a: __typename }', 1],
    ['two fields', '{ privateKeyStatus { hasKey } automationSettings { userId } }', 2],
    ['one field by two names', '{ a: privateKeyStatus { hasKey } b: privateKeyStatus { hasKey } }', 2],
    [
      'one member of the answer, written twice',
      '{ privateKeyStatus { hasKey } privateKeyStatus { createdAt } }',
      1,
    ],
    [
      'fields in fragments',
      '{ ...A ...B } fragment A on Query { a: privateKeyStatus { hasKey } ...B } fragment B on Query { ... on Query { b: privateKeyStatus { hasKey } } }',
      2,
    ],
    [
      'a field that is left out',
      '{ a: privateKeyStatus { hasKey } b: privateKeyStatus @skip(if: true) { hasKey } }',
      2,
    ],
    ['a document that is not valid', '{ a: nothing b: nothing }', 1],
  ])('counts by its root fields: %s', async (_what, document, weight) => {
    await using gateway = await createLimited({ account: { requests: 9, seconds: 60 } });
    const answer = await gateway.graphql(document, { token: await issuer.sign() });
    expect(stateOf(answer)).toBe(`"account";r=${9 - weight}`);
  });
});

describe('an API key at a reverse proxy', () => {
  it("above its limit → refused; other keys and the proxy's address are not affected", async () => {
    await using gateway = await createLimited({
      address: { requests: 1, seconds: 60 },
      apiKey: { requests: 2, seconds: 60 },
    });
    const alice = await gateway.createAccount('alice');
    const key = await gateway.createVerifiableKey(alice);
    const another = await gateway.createVerifiableKey(alice);
    const ask = (secret: string) =>
      gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret }, address: '10.0.0.1' });
    expect(await statusesOf(() => ask(key.secret), 2)).toEqual([200, 200]);
    const refused = await ask(key.secret);
    expect(refused).toMatchObject({ status: 429, body: { reason: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"api-key";q=2;w=60');
    expect(refused.headers.has('x-keyward-key')).toBe(false);
    expect((await ask(another.secret)).status).toBe(200);
    expect((await ask('sk-unknown')).status).toBe(401);
  });
});

describe('an API key that forward auth refuses', () => {
  const past = new Date('2026-01-01T00:00:00.000Z');

  it.each([
    ['inactive', { isActive: false }],
    ['expired', { expiresAt: past }],
  ])('is not counted, and gets no rate limit headers: %s', async (_what, values) => {
    await using gateway = await createLimited({ apiKey: { requests: 1, seconds: 60 } });
    const key = await gateway.createVerifiableKey(await gateway.createAccount('alice'), values);
    const ask = async (secret: string) =>
      gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    for (const secret of [key.secret, 'sk-unknown']) {
      expect(await statusesOf(() => ask(secret), 3)).toEqual([401, 401, 401]);
      expect((await ask(secret)).headers.has('ratelimit')).toBe(false);
    }
  });
});

describe('API keys that a client tries at a reverse proxy', () => {
  const edge = { trustedProxies: ['10.0.0.1'], exemptAddresses: ['198.51.100.0/24'] };
  const setUp = async () => {
    const rates = { address: { requests: 3, seconds: 60 } };
    const gateway = await createTestGateway(issuer, { edge, rates });
    const account = await gateway.createAccount('alice');
    const ask = (secret: string | undefined, client: string, method = 'GET', headers = {}) =>
      gateway.rest(method, '/keys/authorize', {
        address: '10.0.0.1',
        headers: { 'x-forwarded-for': client, ...(secret && { 'x-api-key': secret }), ...headers },
      });
    const createKey = async (values = {}) => (await gateway.createVerifiableKey(account, values)).secret;
    return { gateway, ask, createKey, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
  };
  const mallory = '203.0.113.1';
  const past = new Date('2026-01-01T00:00:00.000Z');

  it.each<[string, object | undefined, string]>([
    ['are unknown', undefined, 'GET'],
    ['are unknown, with OPTIONS', undefined, 'OPTIONS'],
    ['are inactive', { isActive: false }, 'GET'],
    ['have expired', { expiresAt: past }, 'POST'],
  ])('are counted for the client if they %s', async (_what, values, method) => {
    await using door = await setUp();
    const bad = values ? await door.createKey(values) : createApiKeySecret();
    const tryKey = () => door.ask(bad, mallory, method);
    const [first] = [await tryKey()];
    // Or else it would show which keys are counted.
    expect([first?.status, first?.headers.has('ratelimit')]).toEqual([401, false]);
    expect(await statusesOf(tryKey, 4)).toEqual([401, 401, 429, 429]);
    const refused = await tryKey();
    expect(refused.headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=3;w=60');
    expect(refused.body).toMatchObject({ reason: 'too_many_wrong_keys' });
    expect(door.gateway.log().at(-1)).toMatchObject({ status: 429, reason: 'rate-limit-address' });
    expect((await door.ask(bad, '203.0.113.2')).status).toBe(401);
  });

  it('above the limit, good keys still pass, known to this process or not', async () => {
    await using door = await setUp();
    const [known, unseen] = [await door.createKey(), await door.createKey()];
    expect((await door.ask(known, '203.0.113.9')).status).toBe(200);
    await statusesOf(() => door.ask(createApiKeySecret(), mallory), 4);
    expect((await door.ask(known, mallory)).status).toBe(200);
    expect((await door.ask(unseen, mallory)).status).toBe(200);
    const made = await door.createKey();
    expect((await door.ask(made, mallory)).status).toBe(200);
  });

  /** How many of the keys are looked up, one after the other. */
  const countLookUps = async (
    door: Awaited<ReturnType<typeof setUp>>,
    secrets: readonly string[],
    client: string,
  ) => {
    let lookedUp = 0;
    for (const secret of secrets) {
      const ask = () => door.ask(secret, client);
      const { sql } = await recordStatements(door.gateway.database, ask);
      lookedUp += Number(sql.length > 0);
    }
    return lookedUp;
  };
  const wrongKeys = (count: number) => Array.from({ length: count }, () => createApiKeySecret());

  it('above the limit → at most 10 lookups a second, each key once', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using door = await setUp();
    await statusesOf(() => door.ask(createApiKeySecret(), mallory), 3);
    expect(await countLookUps(door, wrongKeys(15), mallory)).toBe(10);
    vi.advanceTimersByTime(1_001);
    const [again = ''] = wrongKeys(1);
    expect(await countLookUps(door, Array(20).fill(again), mallory)).toBe(1);
    expect(await countLookUps(door, ['x', 'sk-a1b2c3.00', ''.padEnd(74, 'a')], mallory)).toBe(0);
    // A flood of wrong keys that are all the same leaves room for a good key.
    expect((await door.ask(await door.createKey(), mallory)).status).toBe(200);
  });

  it('above the limit, from many addresses → at most 100 lookups a second', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using door = await setUp();
    let lookedUp = 0;
    for (let client = 1; client <= 12; client += 1) {
      const address = `203.0.113.${client}`;
      await statusesOf(() => door.ask(createApiKeySecret(), address), 3);
      lookedUp += await countLookUps(door, wrongKeys(11), address);
    }
    expect(lookedUp).toBe(100);
  });

  it('a key that became invalid → refused and counted', async () => {
    await using door = await setUp();
    const secret = await door.createKey();
    expect((await door.ask(secret, mallory)).status).toBe(200);
    await door.gateway.database.em.getConnection().execute('update api_key set is_active = false');
    const ask = () => door.ask(secret, mallory);
    expect(await statusesOf(ask, 4)).toEqual([401, 401, 401, 429]);
    // It was wrong just now, and is not looked up again.
    expect((await recordStatements(door.gateway.database, ask)).sql).toEqual([]);
  });

  it('good keys and requests without a key are not counted', async () => {
    await using door = await setUp();
    const secret = await door.createKey();
    expect(await statusesOf(() => door.ask(secret, mallory), 5)).toEqual(Array(5).fill(200));
    const asking = { 'x-keyward-require': 'documents.read' };
    expect(await statusesOf(() => door.ask(secret, mallory, 'GET', asking), 5)).toEqual(Array(5).fill(403));
    expect(await statusesOf(() => door.ask(undefined, mallory), 5)).toEqual(Array(5).fill(401));
    expect((await door.ask(createApiKeySecret(), mallory)).status).toBe(401);
  });

  it('from an exempt address → not counted', async () => {
    await using door = await setUp();
    expect(await statusesOf(() => door.ask(createApiKeySecret(), '198.51.100.7'), 5)).toEqual(
      Array(5).fill(401),
    );
  });

  it('20 at once with a limit of 3 → 3 are checked, 17 get 429', async () => {
    await using door = await setUp();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => door.ask(createApiKeySecret(), mallory)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });

  it('are counted separately from other requests', async () => {
    await using door = await setUp();
    await statusesOf(() => door.ask(createApiKeySecret(), mallory), 4);
    const headers = { 'x-forwarded-for': mallory };
    const manage = () => door.gateway.rest('GET', '/auth/keys', { address: '10.0.0.1', headers });
    expect(await statusesOf(manage, 4)).toEqual([401, 401, 401, 429]);
  });
});

describe('a limit', () => {
  it('starts again after its window', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using gateway = await createLimited({ address: { requests: 1, seconds: 30 } });
    const send = () => rest(gateway, { address: '203.0.113.9' });
    expect(await statusesOf(send, 2)).toEqual([401, 429]);
    vi.advanceTimersByTime(29_000);
    expect((await send()).status).toBe(429);
    vi.advanceTimersByTime(1_100);
    expect(await statusesOf(send, 2)).toEqual([401, 429]);
  });

  it.each([
    ['OPTIONS', '/api/v1/auth/private-key', 405],
    ['OPTIONS', '/graphql', 405],
    ['OPTIONS', '/nowhere', 404],
    ['PROPFIND', '/api/v1/auth/keys', 405],
    ['HEAD', '/api/v1/auth/keys', 401],
    ['GET', '/.well-known/oauth-protected-resource', 200],
    ['GET', '/api/v1/openapi.json', 200],
    ['GET', '/api/v1/keys/self', 401],
  ])('of an address counts each request: %s %s', async (method, path, status) => {
    await using gateway = await createLimited({ address: { requests: 2, seconds: 60 } });
    const call = { address: '203.0.113.9', headers: { 'access-control-request-method': 'GET' } };
    expect(await statusesOf(() => gateway.fetch(method, path, call), 3)).toEqual([status, status, 429]);
    expect((await rest(gateway, call)).status).toBe(429);
  });

  it('that is not set → no rate limit headers', async () => {
    await using gateway = await createLimited({});
    const { headers } = await rest(gateway, { token: await issuer.sign(), address: '203.0.113.9' });
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  });

  it('its name is in the log line of a refusal', async () => {
    await using gateway = await createLimited({ address: { requests: 1, seconds: 60 } });
    await statusesOf(() => rest(gateway, { address: '203.0.113.9' }), 2);
    expect(gateway.log().at(-1)).toMatchObject({ status: 429, reason: 'rate-limit-address' });
  });
});

describe('an answer', () => {
  const rates = { account: { requests: 100, seconds: 86_400 } };
  const unit = 16 * 1024;

  /** Gives a person as many API keys, each as heavy as the rules allow. */
  const fill = async (gateway: TestGateway, keys: number) => {
    const { kysely } = new Db(gateway.database.em);
    const account_id = (await gateway.createAccount('alice')) as AccountId;
    const key = { ...heaviestParts, account_id, key_prefix: 'sk-a1b2c3', created_at: new Date() };
    await kysely.insertInto('api_key').values(Array(keys).fill(key)).execute();
  };

  const remaining = ({ headers }: { headers: Headers }) =>
    Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

  const heavy: Send = (gateway, call) => gateway.rest('GET', '/auth/keys', call);
  const heavyByGraphql: Send = (gateway, call) =>
    gateway.graphql(
      '{ apiKeys(first: 100) { edges { node { permissions metadata name description } } } }',
      call,
    );

  it.each<[string, Send]>([
    ['REST', heavy],
    ['GraphQL', heavyByGraphql],
  ])('over %s counts once for each 16 KiB; above the limit, the next request → 429', async (_name, send) => {
    await using gateway = await createLimited(rates);
    await fill(gateway, 40);
    const token = await issuer.sign();
    let left = 100;
    let bytes = 0;
    let answers = 0;
    for (;;) {
      const answer = await send(gateway, { token });
      if (answer.status === 429) break;
      expect(answer.status).toBe(200);
      const length = Buffer.byteLength(answer.text);
      expect(length).toBeGreaterThan(200_000);
      left = Math.max(0, left - Math.ceil(length / unit));
      expect(remaining(answer)).toBe(left);
      bytes += length;
      answers += 1;
    }
    expect(answers).toBeGreaterThan(3);
    // A minute's allowance, whatever somebody has: the last answer alone may go beyond.
    expect(bytes).toBeLessThan(100 * unit + 400_000);
  });

  it.each<[string, Send]>([
    ['REST', heavy],
    ['GraphQL', heavyByGraphql],
  ])('over %s is counted before it is made, so many at once cannot all pass', async (_name, send) => {
    // Eight at once are as many as an account may have.
    await using gateway = await createLimited(rates);
    await fill(gateway, 40);
    const token = await issuer.sign();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(gateway, { token })));
    const passed = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8 - passed.length);
    expect(passed.length).toBeGreaterThanOrEqual(2);
    expect(passed.length).toBeLessThan(8);
    const bytes = passed.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(100 * unit + bytes / passed.length);
  });

  it('that could be long but is short counts as one; a small rate still admits a long one', async () => {
    await using gateway = await createLimited(rates);
    await fill(gateway, 1);
    const token = await issuer.sign();
    for (const send of [heavy, heavyByGraphql]) {
      const before = remaining(await rest(gateway, { token }));
      expect(remaining(await send(gateway, { token }))).toBe(before - 1);
    }
    const wrong = await gateway.graphql('{ apiKeys(first: -1) { edges { node { metadata } } } }', { token });
    expect(wrong.body.errors).toBeDefined();
    expect(remaining(wrong)).toBe(95);
    await using small = await createLimited({ account: { requests: 4, seconds: 86_400 } });
    await fill(small, 40);
    expect((await heavy(small, { token })).status).toBe(200);
    expect((await heavy(small, { token })).status).toBe(429);
  });

  it.each<[string, Send]>([
    ['REST', heavy],
    ['GraphQL', heavyByGraphql],
  ])('over %s that could be long passes with what is left, and returns no more', async (_name, send) => {
    await using gateway = await createLimited({ account: { requests: 20, seconds: 86_400 } });
    await fill(gateway, 1);
    const token = await issuer.sign();
    await statusesOf(() => rest(gateway, { token }), 18);
    // Short after all, with the last but one: only itself counts.
    expect(remaining(await send(gateway, { token }))).toBe(1);
    expect(remaining(await send(gateway, { token }))).toBe(0);
    const refused = await Promise.all(Array.from({ length: 5 }, () => send(gateway, { token })));
    expect(refused.map((answer) => [answer.status, remaining(answer)])).toEqual(Array(5).fill([429, 0]));
    expect((await rest(gateway, { token })).status).toBe(429);
  });

  it('that is refused returns nothing: nothing was reserved', async () => {
    await using gateway = await createLimited({ account: { requests: 20, seconds: 86_400 } });
    await fill(gateway, 1);
    const token = await issuer.sign();
    await statusesOf(() => rest(gateway, { token }), 18);
    const lists = Array.from(
      { length: 4 },
      (_, at) => `l${at}: apiKeys(first: 100) { edges { node { metadata } } }`,
    );
    for (let i = 0; i < 3; i++) {
      const refused = await gateway.graphql(`{ ${lists.join(' ')} }`, { token });
      expect([refused.status, remaining(refused)]).toEqual([429, 0]);
    }
    expect((await rest(gateway, { token })).status).toBe(429);
  });

  it('that ends in a later window takes nothing from it', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const counts = new RateCounts('account');
    const rate = { requests: 10, seconds: 60 };
    const long = counts.use('alice', rate, 1, 5);
    expect([long.remaining, long.reserved]).toEqual([4, 5]);
    vi.advanceTimersByTime(60_001);
    expect(counts.use('alice', rate, 3).remaining).toBe(7);
    counts.settle('alice', long, 0);
    expect(counts.peek('alice', rate).remaining).toBe(7);
    counts.settle('alice', long, 9);
    expect(counts.peek('alice', rate).remaining).toBe(7);
  });

  it('that could be long → one at a time if nothing is left to reserve', () => {
    const counts = new RateCounts('account');
    const rate = { requests: 2, seconds: 60 };
    counts.use('alice', rate, 2);
    const first = counts.use('alice', rate, 0, 5);
    expect([first.isRefused, counts.use('alice', rate, 0, 5).isRefused]).toEqual([false, true]);
    counts.settle('alice', first, 0);
    const second = counts.use('alice', rate, 0, 5);
    counts.settle('alice', second, 0);
    counts.settle('alice', second, 0);
    const third = counts.use('alice', rate, 0, 5);
    expect([second, third].map(({ isRefused }) => isRefused)).toEqual([false, false]);
    expect(counts.use('alice', rate, 0, 5).isRefused).toBe(true);
  });

  it('that is short counts as one; one without a caller has no weight by length', async () => {
    await using gateway = await createLimited(rates);
    await fill(gateway, 1);
    const token = await issuer.sign();
    expect(remaining(await rest(gateway, { token }))).toBe(99);
    expect(remaining(await heavy(gateway, { token }))).toBe(98);
    await using other = await createLimited({ address: { requests: 10, seconds: 60 } });
    const description = await other.rest('GET', '/openapi.json', { address: '203.0.113.9' });
    expect(description.text.length).toBeGreaterThan(4 * unit);
    expect(remaining(description)).toBe(9);
  });
});
