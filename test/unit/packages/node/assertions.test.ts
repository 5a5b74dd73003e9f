import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AssertionOptions, createAssertions } from '../../../../packages/node/src/assertions.ts';
import type { KeywardError, Outcome } from '../../../../packages/node/src/index.ts';
import { signAssertions } from '../../../../src/assertions/sign-assertions.ts';
import {
  type AssertionKey,
  createAssertionKey,
  publicKeySet,
} from '../../../../src/secrets/assertion-keys.ts';

const audience = 'https://api.example.com';
const es256 = createAssertionKey('one');
const ed25519 = createAssertionKey('two', 'EdDSA');
const stranger = createAssertionKey('one');

/** A server that publishes keys, as Keyward does. */
async function startIssuer() {
  const issuer = {
    url: '',
    reads: 0,
    answer: (response: ServerResponse): unknown =>
      response.end(JSON.stringify(publicKeySet([es256, ed25519]))),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  const server = createServer(({ url }, response) => {
    issuer.reads += 1;
    if (url === '/.well-known/jwks.json') issuer.answer(response);
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
}

let issuer: Awaited<ReturnType<typeof startIssuer>>;
const errors: KeywardError[] = [];
beforeEach(async () => {
  errors.length = 0;
  issuer = await startIssuer();
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer[Symbol.asyncDispose]();
});

const now = () => Math.floor(Date.now() / 1000);

const claims = () => ({
  iss: issuer.url,
  aud: audience,
  sub: 'alice',
  client_id: 'key:5',
  scope: 'documents.* reports.read',
  keyward: { user_id: 1, issuer: 'https://id.example.com', plan: 'größer' },
  iat: now(),
  exp: now() + 60,
  jti: 'x',
});

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs claims, and a header that is not checked. */
const sign = (changes: object = {}, header: object = {}, key: AssertionKey = es256): Promise<string> =>
  new SignJWT({ ...claims(), ...changes })
    .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey);

/** Signs two texts as they are. */
async function signTexts(header: string, payload: string, key = es256): Promise<string> {
  const text = `${encode(header)}.${encode(payload)}`;
  const { sign: signBytes } = await import('node:crypto');
  const signature = signBytes('sha256', Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${text}.${signature.toString('base64url')}`;
}

const connect = (options: Partial<AssertionOptions> = {}) =>
  createAssertions({ issuer: issuer.url, audience, onError: (error) => errors.push(error), ...options });

const statusOf = (outcome: Outcome) => ('refusal' in outcome ? outcome.refusal.status : 200);
const ask = async (token: string, needs = {}, assertions = connect()) =>
  assertions.check(needs)({ headers: new Headers({ 'x-keyward-assertion': token }) });

describe('accepted', () => {
  it.each([
    ['ES256', es256],
    ['EdDSA', ed25519],
  ])('%s → the caller', async (_name, key) => {
    const token = await sign({}, {}, key);
    expect(await ask(token)).toEqual({
      caller: {
        ...{ valid: true, reason: null, key_id: 5, user_id: 1, owner_kind: 'person', organization_id: null },
        ...{ permissions: ['documents.*', 'reports.read'], plan: 'größer', assertion: token, stale: false },
        ...{ expires_at: null, name: null, metadata: null, automation: null, entitlement: null },
        ...{ rate_limit: null, quota: null },
      },
    });
  });

  it('what Keyward signs itself → the caller', async () => {
    const signer = signAssertions({ keys: [es256], audiences: [audience], seconds: 60 }, issuer.url);
    const key = {
      ...{ keyId: 7, userId: 3, subject: 'acme', issuer: 'https://id.example.com', organization: 'acme' },
      ...{ plan: null, scope: [], endsAt: null, secretId: 1, state: 'x' },
    };
    const outcome = await ask(await signer.about(key as never));
    expect(outcome).toMatchObject({
      caller: { key_id: 7, user_id: 3, owner_kind: 'organization', organization_id: 'acme', permissions: [] },
    });
  });

  it.each([
    ['a bearer token', (token: string) => ({ authorization: `Bearer ${token}` })],
    [
      'beside an empty X-Keyward-Assertion',
      (token: string) => ({ 'x-keyward-assertion': '', authorization: `bearer ${token}` }),
    ],
    [
      'X-Keyward-Assertion beside an API key',
      (token: string) => ({ 'x-keyward-assertion': token, authorization: 'Bearer sk-1' }),
    ],
    ['the same twice', (token: string) => ({ 'x-keyward-assertion': `${token}, ${token}` })],
  ])('%s', async (_what, headersOf) => {
    const headers = new Headers(headersOf(await sign()));
    expect(statusOf(await connect().check({})({ headers }))).toBe(200);
  });

  it.each([
    ['several audiences', { aud: ['x', audience] }],
    ['a clock that is five seconds behind', { iat: now() + 4, nbf: now() + 4 }],
    ['no iat', { iat: undefined }],
  ])('%s', async (_what, changes) => {
    expect(statusOf(await ask(await sign(changes)))).toBe(200);
  });
});

describe('refused with 401', () => {
  const payload = () => JSON.stringify(claims());

  it.each<[string, () => string | Promise<string>]>([
    ['alg none', () => `${encode({ alg: 'none', typ: 'at+jwt', kid: 'one' })}.${encode(claims())}.`],
    [
      'alg none with a signature',
      async () =>
        `${encode({ alg: 'none', typ: 'at+jwt', kid: 'one' })}.${encode(claims())}.${(await sign()).split('.')[2]}`,
    ],
    [
      'HS256 with the public key',
      () => {
        const text = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })}.${encode(claims())}`;
        const secret = createPublicKey(es256.privateKey).export({ format: 'pem', type: 'spki' });
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      },
    ],
    [
      'the alg of another key',
      () => signTexts(JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one' }), payload()),
    ],
    ['no alg', () => signTexts(JSON.stringify({ typ: 'at+jwt', kid: 'one' }), payload())],
    [
      'a key of its own',
      () => sign({}, { jwk: createPublicKey(stranger.privateKey).export({ format: 'jwk' }) }, stranger),
    ],
    ['another kid', () => sign({}, { kid: 'three' })],
    ['the kid of another key', () => sign({}, { kid: 'two' })],
    [
      'a list of kids',
      () => signTexts(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: ['one'] }), payload()),
    ],
    ['no kid', () => sign({}, { kid: undefined })],
    ['another typ', () => sign({}, { typ: 'JWT' })],
    ['no typ', () => sign({}, { typ: undefined })],
    [
      'a crit field',
      () =>
        signTexts(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'one', crit: ['x'], x: 1 }), payload()),
    ],
    ['another audience', () => sign({ aud: 'https://other.example.com' })],
    ['a longer audience', () => sign({ aud: `${audience}/` })],
    ['no audience', () => sign({ aud: undefined })],
    ['another issuer', () => sign({ iss: `${issuer.url}/` })],
    ['an end that is over', () => sign({ exp: now() - 1 })],
    ['no end', () => sign({ exp: undefined })],
    [
      'an end as text',
      () =>
        signTexts(
          JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'one' }),
          JSON.stringify({ ...claims(), exp: `${now() + 60}` }),
        ),
    ],
    [
      'an end as a list',
      () =>
        signTexts(
          JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'one' }),
          JSON.stringify({ ...claims(), exp: [now() + 60] }),
        ),
    ],
    ['iat in the future', () => sign({ iat: now() + 30 })],
    ['nbf in the future', () => sign({ nbf: now() + 30 })],
    [
      'iat as text',
      () =>
        signTexts(
          JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'one' }),
          JSON.stringify({ ...claims(), iat: '0' }),
        ),
    ],
    ['60 kB', () => sign({ x: 'a'.repeat(60_000) })],
    ['another client', () => sign({ client_id: 'server:5' })],
    ['no client', () => sign({ client_id: undefined })],
    ['no user', () => sign({ keyward: {} })],
    ['keyward is null', () => sign({ keyward: null })],
    ['a user as text', () => sign({ keyward: { user_id: '1' } })],
    ['no scope', () => sign({ scope: undefined })],
    [
      'duplicate members, the last of which is wrong',
      () => signTexts('{"alg":"ES256","alg":"none","typ":"at+jwt","kid":"one"}', payload()),
    ],
    [
      'an altered payload',
      async () => (await sign()).replace(/\.[^.]+\./, `.${encode({ ...claims(), scope: '*' })}.`),
    ],
    ['an altered signature', async () => (await sign()).replace(/.{9}$/, 'AAAAAAAAA')],
    ['no signature', async () => (await sign()).replace(/[^.]+$/, '')],
    ['four parts', async () => `${await sign()}.x`],
    ['padding', async () => `${await sign()}==`],
    ['a space inside', async () => (await sign()).replace('.', ' .')],
    ['not base64url', () => 'a+b.c/d.e'],
    ['not JSON', async () => `${encode('x')}.${encode('y')}.z`],
    ['null', async () => `${encode('null')}.${encode('null')}.AA`],
    ['a list', async () => `${encode('[]')}.${encode('[]')}.AA`],
    ['an API key', () => 'sk-a1b2c3.0123'],
  ])('%s', async (_what, make) => {
    const outcome = await ask(await make());
    expect(outcome).toMatchObject({
      refusal: { status: 401, headers: { 'www-authenticate': 'Bearer realm="api", error="invalid_token"' } },
    });
    expect(errors).toEqual([]);
  });

  it('two different ones; none', async () => {
    const headers = new Headers({ 'x-keyward-assertion': `${await sign()}, ${await sign({ jti: 'y' })}` });
    expect(statusOf(await connect().check({})({ headers }))).toBe(401);
    expect(await connect().check({})({ headers: {} })).toMatchObject({
      refusal: { status: 401, body: expect.stringContaining('no_api_key') },
    });
    expect(issuer.reads).toBe(0);
  });
});

describe('permissions', () => {
  it.each([
    ['documents.read', 'documents.read', 200],
    ['documents.*', 'documents.read', 200],
    ['documents.*', 'documents.read.all', 200],
    ['documents.*', 'documents', 403],
    ['documents.*', 'documentsx.read', 403],
    ['*', 'documents.read', 200],
    ['documents*', 'documents.read', 403],
    ['*.read', 'documents.read', 403],
    ['', 'documents.read', 403],
    ['other documents.read', 'documents.read', 200],
  ])('%j, for %j → %i', async (scope, needed, status) => {
    expect(statusOf(await ask(await sign({ scope }), { permissions: [needed] }))).toBe(status);
  });

  it('all are needed; the refusal names them', async () => {
    const outcome = await ask(await sign(), { permissions: ['documents.read', 'x'] });
    expect(outcome).toMatchObject({
      refusal: {
        status: 403,
        body: expect.stringContaining('The API key needs the permissions: documents.read x'),
      },
    });
  });

  it('a cost → refused when the route is set up, also 0', () => {
    for (const cost of [5, 0])
      expect(() => connect().check({ cost })).toThrow('An assertion cannot count a cost');
    expect(() => connect().check({ permission: [] } as never)).toThrow(TypeError);
  });

  it.each([
    ['no issuer', { issuer: undefined, audience }],
    ['another scheme', { issuer: 'file:///keys', audience }],
    ['no audience', { issuer: 'https://x', audience: '' }],
  ])('%s → refused', (_what, options) => {
    expect(() => createAssertions(options as never)).toThrow(TypeError);
  });
});

describe('the public keys', () => {
  it('are read once for many requests, and kept', async () => {
    const assertions = connect();
    const token = await sign();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(token, {}, assertions)));
    expect(new Set(outcomes.map(statusOf))).toEqual(new Set([200]));
    expect(statusOf(await ask(token, {}, assertions))).toBe(200);
    expect(issuer.reads).toBe(1);
  });

  it('a new id → read again, but once in ten seconds; the known ones work meanwhile', async () => {
    let elapsed = 0;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + elapsed);
    const assertions = connect();
    await ask(await sign(), {}, assertions);
    const fresh = createAssertionKey('fresh');
    issuer.answer = (response) => response.end(JSON.stringify(publicKeySet([es256, fresh])));
    const token = await sign({}, {}, fresh);
    for (let at = 0; at < 20; at += 1) expect(statusOf(await ask(token, {}, assertions))).toBe(401);
    expect(issuer.reads).toBe(1);
    elapsed = 10_100;
    expect(statusOf(await ask(token, {}, assertions))).toBe(200);
    expect(statusOf(await ask(await sign({}, {}, ed25519), {}, assertions))).toBe(401);
    expect(issuer.reads).toBe(2);
    elapsed = 309_000;
    expect(statusOf(await ask(token, {}, assertions))).toBe(200);
    expect(issuer.reads).toBe(2);
    elapsed = 310_500;
    expect(statusOf(await ask(token, {}, assertions))).toBe(200);
    expect(issuer.reads).toBe(3);
  });

  it('a clock that jumps → they are kept', async () => {
    const assertions = connect();
    await ask(await sign(), {}, assertions);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
    expect(statusOf(await ask(await sign(), {}, assertions))).toBe(200);
    expect(issuer.reads).toBe(1);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['status 500', (response) => response.writeHead(500).end()],
    ['a redirect', (response) => response.writeHead(302, { location: `${issuer.url}/other` }).end()],
    ['HTML', (response) => response.end('<html>')],
    ['null', (response) => response.end('null')],
    ['no keys', (response) => response.end('{"keys":{}}')],
    ['2 MB', (response) => response.end(JSON.stringify({ keys: [], x: 'a'.repeat(2_000_000) }))],
    ['a reset', (response) => response.socket?.resetAndDestroy()],
  ])('%s → 503, told, and tried again after a second', async (_what, answer) => {
    let elapsed = 0;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + elapsed);
    const { answer: right } = issuer;
    issuer.answer = answer;
    const assertions = connect();
    const token = await sign();
    const outcomes = await Promise.all([ask(token, {}, assertions), ask(token, {}, assertions)]);
    expect(outcomes).toMatchObject(
      Array(2).fill({ refusal: { status: 503, headers: { 'retry-after': '1' } } }),
    );
    expect(statusOf(await ask(token, {}, assertions))).toBe(503);
    expect([issuer.reads, errors.length]).toEqual([1, 1]);
    issuer.answer = right;
    elapsed = 1010;
    expect(statusOf(await ask(token, {}, assertions))).toBe(200);
  });

  it('no end → 503 within five seconds', async () => {
    issuer.answer = (response) => response.write('{');
    const start = performance.now();
    expect(statusOf(await ask(await sign()))).toBe(503);
    expect(performance.now() - start).toBeLessThan(6000);
  });

  it('keys of other kinds among them → the others work', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { publicKey: p384 } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const others = [
      { ...publicKey.export({ format: 'jwk' }), kid: 'rsa' },
      { ...p384.export({ format: 'jwk' }), kid: 'p384' },
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'broken' },
      { kty: 'oct', k: 'AAAA', kid: 'secret' },
      {},
    ];
    issuer.answer = (response) =>
      response.end(JSON.stringify({ keys: [...others, ...publicKeySet([es256]).keys] }));
    expect(statusOf(await ask(await sign()))).toBe(200);
    const text = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'secret' })}.${encode(claims())}`;
    const forged = `${text}.${createHmac('sha256', Buffer.from('AAAA', 'base64url')).update(text).digest('base64url')}`;
    expect(statusOf(await ask(forged))).toBe(401);
  });
});
