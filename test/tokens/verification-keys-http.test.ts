import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Load } from '../../src/http/load.ts';
import { type Answer, createTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  type Behaviour,
  type IllBehavedIssuer,
  misbehaviours,
  startIllBehavedIssuer,
} from '../support/ill-behaved-issuer.ts';

const minute = 60_000;

let issuer: IllBehavedIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await startIllBehavedIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());
// Sockets need the real timers; what the gateway counts time by is in the test's hands.
beforeEach(async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setInterval', 'clearInterval'],
    now: new Date('2026-03-01T12:00:00.000Z'),
  });
  gateway = await createTestGateway(issuer);
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  issuer.reset();
  vi.useRealTimers();
});

const transports = ['REST', 'GraphQL'] as const;
type Transport = (typeof transports)[number];

const call = (transport: Transport, token: string, called = gateway): Promise<Answer> =>
  transport === 'REST'
    ? called.rest('GET', '/auth/private-key', { token })
    : called.graphql('{ privateKeyStatus { hasKey } }', { token });

const statusOf = async (token: string, called = gateway) => (await call('REST', token, called)).status;

const unavailable = {
  REST: { detail: 'Service Unavailable' },
  GraphQL: { errors: [{ message: 'Service Unavailable', extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
};

const expectUnavailable = async (token: string, transport: Transport = 'REST') => {
  const answer = await call(transport, token);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 503,
    body: unavailable[transport],
  });
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answer.headers.get('www-authenticate')).toBeNull();
  expect(gateway.log().at(-1)?.['reason']).toBe('no-verification-keys');
};

/** A token that outlives every advance of the clock in these tests. */
const sign = (kid = 'test-1', key = issuer.privateKey) =>
  issuer.sign({ exp: Math.floor(Date.now() / 1000) + 3600, jti: randomUUID() }, { kid }, key);

/** A new signing key, published under an id beside those that are there. */
const publishKey = async (kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  issuer.published.keys.push({ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' });
  return privateKey;
};

/**
 * Makes the issuer misbehave. A request that it leaves open is ended at once, in place of when its time is up.
 * @returns how long requests were given
 */
const misbehave = (behave: Behaviour, ...documents: ('metadata' | 'keys')[]) => {
  const controllers: AbortController[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    controllers.push(controller);
    return controller.signal;
  });
  for (const document of documents) {
    issuer.behaviour[document] = (response) => {
      behave(response);
      if (response.writableEnded || response.destroyed) return;
      for (const controller of controllers) controller.abort(new DOMException('too late', 'TimeoutError'));
    };
  }
  return timeout;
};

/** Lets the issuer keep its key set to itself until it is told. */
const holdKeys = () => {
  const isAsked = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  issuer.behaviour.keys = (response) => {
    held.push(() => issuer.json(issuer.published)(response));
    isAsked.resolve();
  };
  return {
    isAsked: isAsked.promise,
    release: () => {
      for (const answer of held) answer();
    },
  };
};

describe('503 while no key was ever read', () => {
  const bad = Object.entries(misbehaviours);

  it.each(bad)('key set: %s', async (_name, behave) => {
    const timeout = misbehave(behave, 'keys');
    await expectUnavailable(await sign());
    expect(issuer.counts).toEqual({ metadata: 1, keys: 1, elsewhere: 0 });
    expect(timeout).toHaveBeenCalledWith(5000);
  });

  it.each(bad)('metadata: %s', async (_name, behave) => {
    misbehave(behave, 'metadata');
    await expectUnavailable(await sign());
    expect(issuer.counts).toEqual({ metadata: 1, keys: 0, elsewhere: 0 });
  });

  it.each<[string, (url: string) => object]>([
    ["another issuer's", (url) => ({ issuer: `${url}/`, jwks_uri: `${url}/jwks` })],
    ['no issuer named', (url) => ({ jwks_uri: `${url}/jwks` })],
    ['no address of keys', (url) => ({ issuer: url })],
    ['keys by plain HTTP on another machine', (url) => ({ issuer: url, jwks_uri: 'http://192.0.2.1/jwks' })],
    ['keys in a file', (url) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' })],
    ['keys in the address itself', (url) => ({ issuer: url, jwks_uri: 'data:application/json,{"keys":[]}' })],
  ])('metadata with a fault: %s', async (_name, metadata) => {
    issuer.behaviour.metadata = issuer.json(metadata(issuer.config.issuer));
    await expectUnavailable(await sign());
    expect(issuer.counts).toEqual({ metadata: 1, keys: 0, elsewhere: 0 });
  });

  it.each<[string, unknown]>([
    ['empty', []],
    ['of things that are no keys', [null, 5, 'key', [], {}, { kty: 'RSA', kid: 'test-1' }]],
    ['of secrets', [{ kty: 'oct', k: 'c2VjcmV0', kid: 'test-1' }]],
  ])('a key set that is %s', async (_name, keys) => {
    issuer.behaviour.keys = issuer.json({ keys });
    await expectUnavailable(await sign());
  });

  it('ends once the issuer works again, but not before 30 seconds', async () => {
    const token = await sign();
    issuer.behaviour.keys = misbehaviours.failing;
    await expectUnavailable(token, 'GraphQL');
    await expectUnavailable(token);
    issuer.recover();
    vi.advanceTimersByTime(29_999);
    await expectUnavailable(token);
    expect(issuer.counts.keys).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await statusOf(token)).toBe(200);
  });

  it('a token that would be bad with any keys → 401 in place of 503', async () => {
    issuer.behaviour.keys = misbehaviours.gone;
    expect(await statusOf(await issuer.sign({ aud: 'other' }))).toBe(401);
    expect(await statusOf('no.token.atall')).toBe(401);
  });
});

describe('the last good keys', () => {
  it.each(Object.entries(misbehaviours))('are kept if the issuer misbehaves: %s', async (_name, behave) => {
    expect(await statusOf(await sign())).toBe(200);
    misbehave(behave, 'metadata', 'keys');
    vi.advanceTimersByTime(30_000);
    expect(await statusOf(await sign('unknown'))).toBe(401);
    expect(gateway.log().at(-1)?.['reason']).toBe('token-unknown-key');
    expect(issuer.counts.keys).toBe(2);
    expect(await statusOf(await sign())).toBe(200);
  });

  it('are kept for hours while the issuer is down', async () => {
    const token = await sign();
    expect(await statusOf(token)).toBe(200);
    issuer.behaviour.keys = misbehaviours.gone;
    issuer.behaviour.metadata = misbehaviours.gone;
    for (let passed = 0; passed < 50; passed += 5) {
      vi.advanceTimersByTime(5 * minute);
      await gateway.verificationKeys.refresh();
      expect(await statusOf(token)).toBe(200);
    }
    expect(issuer.counts.metadata).toBeGreaterThan(5);
  });

  it.each<[string, unknown[]]>([
    ['empty', []],
    ['of keys that cannot be used', [{ kty: 'RSA', kid: 'broken', n: '!', e: 'AQAB' }, { kty: 'oct' }]],
  ])(
    'are withdrawn once the set that the issuer publishes is %s, until it has keys again',
    async (_name, keys) => {
      const token = await sign();
      expect(await statusOf(token)).toBe(200);
      const withdrawn = issuer.published.keys;
      issuer.published.keys = keys as never;
      await gateway.verificationKeys.refresh();
      expect(await statusOf(token)).toBe(503);
      expect(await statusOf(await sign())).toBe(503);
      expect(gateway.log().at(-1)?.['reason']).toBe('no-verification-keys');
      issuer.published.keys = withdrawn;
      await gateway.verificationKeys.refresh();
      expect(await statusOf(token)).toBe(200);
    },
  );

  it('unusable keys → left out, the others kept', async () => {
    issuer.published.keys.unshift(null as never, {}, { kty: 'RSA', kid: 'broken', n: '!', e: 'AQAB' });
    expect(await statusOf(await sign())).toBe(200);
    expect(await statusOf(await sign('broken'))).toBe(401);
  });
});

describe('rotation', () => {
  it('makes a new key usable within 30 seconds', async () => {
    expect(await statusOf(await sign())).toBe(200);
    const token = await sign('next', await publishKey('next'));
    vi.advanceTimersByTime(29_999);
    expect(await statusOf(token)).toBe(401);
    expect(issuer.counts.keys).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(await sign())).toBe(200);
    expect(issuer.counts).toEqual({ metadata: 2, keys: 2, elsewhere: 0 });
  });

  it('a withdrawn key → its tokens, even remembered ones, are refused within 10 minutes', async () => {
    await publishKey('next');
    const remembered = await sign();
    expect(await statusOf(remembered)).toBe(200);
    issuer.published.keys.shift();
    expect(await statusOf(remembered)).toBe(200);
    vi.advanceTimersByTime(10 * minute);
    // Waits for the read that the clock has begun.
    await gateway.verificationKeys.refresh();
    expect(await statusOf(remembered)).toBe(401);
    expect(gateway.log().at(-1)?.['reason']).toBe('token-unknown-key');
    expect(await statusOf(await sign())).toBe(401);
  });

  it('another key under an old id → old tokens are refused', async () => {
    const old = await sign();
    expect(await statusOf(old)).toBe(200);
    issuer.published.keys = [];
    const key = await publishKey('test-1');
    vi.advanceTimersByTime(5 * minute);
    await gateway.verificationKeys.refresh();
    expect(await statusOf(old)).toBe(401);
    expect(gateway.log().at(-1)?.['reason']).toBe('token-signature');
    expect(await statusOf(await sign('test-1', key))).toBe(200);
  });

  it('a token that was refused as too early → accepted later', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const early = await issuer.sign({ nbf: seconds + 90, exp: seconds + 600 });
    expect(await statusOf(early)).toBe(401);
    vi.advanceTimersByTime(30_000);
    expect(await statusOf(early)).toBe(200);
  });

  it('lets a remembered token expire', async () => {
    const token = await issuer.sign({ exp: Math.floor(Date.now() / 1000) + 10 });
    expect(await statusOf(token)).toBe(200);
    vi.advanceTimersByTime(70_000);
    expect(await statusOf(token)).toBe(200);
    vi.advanceTimersByTime(1000);
    expect(await statusOf(token)).toBe(401);
    expect(gateway.log().at(-1)?.['reason']).toBe('token-expired');
  });
});

describe('one read at a time', () => {
  it('is shared by all requests that wait for it', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => sign()));
    const answers = tokens.map((token, index) => call(transports[index % 2] ?? 'REST', token));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(tokens.map(() => 200));
    expect(issuer.counts).toEqual({ metadata: 1, keys: 1, elsewhere: 0 });
  });

  it('lets a good token pass while another waits for a key', async () => {
    expect(await statusOf(await sign())).toBe(200);
    vi.advanceTimersByTime(30_000);
    const { isAsked, release } = holdKeys();
    let answered = false;
    const waiting = statusOf(await sign('unknown')).finally(() => {
      answered = true;
    });
    await isAsked;
    expect(await statusOf(await sign())).toBe(200);
    expect((await call('GraphQL', await sign())).status).toBe(200);
    expect(answered).toBe(false);
    release();
    expect(await waiting).toBe(401);
  });

  it('happens in the background, without a request', async () => {
    await gateway.verificationKeys.refresh();
    for (const reads of [2, 3]) {
      const { isAsked, release } = holdKeys();
      vi.advanceTimersByTime(5 * minute);
      await isAsked;
      expect(issuer.counts.keys).toBe(reads);
      release();
      await gateway.verificationKeys.refresh();
    }
  });
});

/** Makes tokens out of a good one that name a key that nobody knows, each another; their signature is not theirs. */
const withUnknownKeys = (good: string) => {
  const [, claims, signature] = good.split('.');
  return () => {
    const header = JSON.stringify({ alg: 'RS256', kid: randomUUID(), typ: 'at+jwt' });
    return `${Buffer.from(header).toString('base64url')}.${claims}.${signature}`;
  };
};

describe('tokens with unknown key ids, while the issuer is slow', () => {
  it('eight of them wait; the others → 503 at once; good tokens → 200', async () => {
    using load = new Load(200, pino({ level: 'silent' }), Number.POSITIVE_INFINITY);
    await using busy = await createTestGateway(issuer, { edge: { load } });
    const good = await sign();
    expect(await statusOf(good, busy)).toBe(200);
    vi.advanceTimersByTime(30_000);
    const { isAsked, release } = holdKeys();
    const refused = Promise.withResolvers<void>();
    const random = withUnknownKeys(good);
    const answers: Answer[] = [];
    const asked: Promise<unknown>[] = [];
    for (let sent = 0; sent < 260; sent += 1) {
      asked.push(
        call(transports[sent % 2] ?? 'REST', random(), busy).then((answer) => {
          if (answers.push(answer) === 252) refused.resolve();
        }),
      );
      // As from the network: one after the other.
      await new Promise(setImmediate);
    }
    await Promise.all([isAsked, refused.promise]);
    expect(answers).toHaveLength(252);
    expect(load.inFlight).toBe(8);
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('5');
    }
    const known = await Promise.all(Array.from({ length: 190 }, () => statusOf(good, busy)));
    expect(new Set(known)).toEqual(new Set([200]));
    expect(await statusOf(await sign(), busy)).toBe(200);
    release();
    await Promise.all(asked);
    expect(answers.slice(252).map(({ status }) => status)).toEqual(Array(8).fill(401));
    expect(load.inFlight).toBe(0);
  });
});

describe('tokens with unknown key ids', () => {
  it.each([
    ['well', undefined],
    ['down', misbehaviours.gone],
  ])('1,000 in a minute, issuer %s → two reads, and a good token is never refused', async (_name, behave) => {
    const good = await sign();
    expect(await statusOf(good)).toBe(200);
    const random = withUnknownKeys(good);
    if (behave) Object.assign(issuer.behaviour, { metadata: behave, keys: behave });
    vi.advanceTimersByTime(minute);
    const asked = { ...issuer.counts };
    const seen: number[] = [];
    for (let sent = 0; sent < 1000; sent += 50) {
      const others = Array.from({ length: 50 }, (_, at) => call(transports[at % 2] ?? 'REST', random()));
      expect(await statusOf(good)).toBe(200);
      seen.push(...(await Promise.all(others)).map(({ status }) => status));
      vi.advanceTimersByTime((minute - 1) / 20);
    }
    const reads = {
      metadata: issuer.counts.metadata - asked.metadata,
      keys: issuer.counts.keys - asked.keys,
    };
    expect(reads).toEqual({ metadata: 2, keys: 2 });
    // Of 50 at once, those that come during a read and after eight others are refused for it.
    expect([...new Set(seen)].toSorted()).toEqual([401, 503]);
    expect(seen.filter((status) => status === 503).length).toBeLessThanOrEqual(2 * 42);
  });
});

describe('AUTH_JWKS_URI', () => {
  it("is used instead of the metadata's address", async () => {
    issuer.behaviour.metadata = misbehaviours.failing;
    issuer.behaviour.keys = misbehaviours.failing;
    const config = { ...issuer.config, jwksUri: `${issuer.config.issuer}/keys` };
    await using told = await createTestGateway({ ...issuer, config });
    expect(await statusOf(await sign(), told)).toBe(200);
    expect(issuer.counts).toEqual({ metadata: 0, keys: 0, elsewhere: 1 });
  });

  it('is read again after a failure', async () => {
    const config = { ...issuer.config, jwksUri: `${issuer.config.issuer}/jwks` };
    await using told = await createTestGateway({ ...issuer, config });
    issuer.behaviour.keys = misbehaviours.failing;
    expect(await statusOf(await sign(), told)).toBe(503);
    issuer.recover();
    vi.advanceTimersByTime(30_000);
    expect(await statusOf(await sign(), told)).toBe(200);
    expect(issuer.counts.metadata).toBe(0);
  });
});

describe('metadata', () => {
  it('is read with the keys, so that a new key at a new address works', async () => {
    await gateway.verificationKeys.refresh();
    issuer.behaviour.keys = issuer.json({ keys: [...issuer.published.keys] });
    const moved = { issuer: issuer.config.issuer, jwks_uri: `${issuer.config.issuer}/moved` };
    issuer.behaviour.metadata = issuer.json(moved);
    const token = await sign('next', await publishKey('next'));
    vi.advanceTimersByTime(29_999);
    expect(await statusOf(token)).toBe(401);
    vi.advanceTimersByTime(1);
    expect(await statusOf(token)).toBe(200);
    expect(issuer.counts).toEqual({ metadata: 2, keys: 1, elsewhere: 1 });
  });
});

describe('several issuers', () => {
  it('are each trusted with their own keys, audiences and names of scopes', async () => {
    await using other = await startIllBehavedIssuer();
    const config = {
      ...other.config,
      audiences: ['other-api'],
      clientIds: ['other-client'],
      scopeAliases: new Map([['api.all', ['profile']]]),
    };
    await using both = await createTestGateway(issuer, { issuers: [config] });
    const ours = issuer.config.issuer;
    const theirs = config.issuer;
    const scope = 'openid email api.all';
    const cases: [string, Promise<string>, number][] = [
      ['ours', issuer.sign(), 200],
      ['theirs', other.sign({ aud: 'other-api' }), 200],
      ['theirs by client id', other.sign({ aud: undefined, client_id: 'other-client' } as never), 200],
      ['ours by their client id', issuer.sign({ aud: undefined, client_id: 'other-client' } as never), 401],
      ['ours for their audience', issuer.sign({ aud: 'other-api' }), 401],
      ['theirs for our audience', other.sign({ aud: 'keyward' }), 401],
      ['ours, signed by them under the same key id', other.sign({ iss: ours }), 401],
      ['theirs, signed by us under the same key id', issuer.sign({ iss: theirs, aud: 'other-api' }), 401],
      ['their name of a scope in theirs', other.sign({ aud: 'other-api', scope }), 200],
      ['their name of a scope in ours', issuer.sign({ scope }), 403],
    ];
    const answered: [string, number][] = [];
    for (const [name, token] of cases) answered.push([name, await statusOf(await token, both)]);
    expect(answered).toEqual(cases.map(([name, , status]) => [name, status]));
  });

  it('one is down → the tokens of the other are accepted', async () => {
    await using other = await startIllBehavedIssuer();
    other.behaviour.keys = misbehaviours.gone;
    await using both = await createTestGateway(issuer, { issuers: [other.config] });
    expect(await statusOf(await other.sign(), both)).toBe(503);
    expect(await statusOf(await issuer.sign(), both)).toBe(200);
  });

  it('the same subject at two issuers → two accounts', async () => {
    await using other = await startIllBehavedIssuer();
    await using both = await createTestGateway(issuer, { issuers: [other.config] });
    await both.createPrivateKey(await both.createAccount('alice'));
    const hasKey = async (token: string) => {
      const { body } = await call('REST', token, both);
      return body.has_key;
    };
    expect(await hasKey(await issuer.sign())).toBe(true);
    expect(await hasKey(await other.sign())).toBe(false);
  });
});
