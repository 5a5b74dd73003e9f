import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createCircuit } from '../../../../packages/node/src/circuit.ts';
import {
  createKeyward,
  type KeywardError,
  type KeywardOptions,
  type Outcome,
} from '../../../../packages/node/src/index.ts';
import { freePort } from '../../../support/process.ts';
import {
  httpAnswer,
  refusedKey,
  type StandInAnswer,
  startRawStandIn,
  startStandIn,
  validKey,
} from '../../../support/stand-in-keyward.ts';

const key = 'sk-a1b2c3.0123';
const credential = 'kws_secret';

/** What checks requests by a stand-in, and notes each failure. */
function connect(url: string, options: Partial<KeywardOptions> = {}) {
  const errors: KeywardError[] = [];
  const keyward = createKeyward({ url, credential, onError: (error) => errors.push(error), ...options });
  const any = keyward.check({});
  return {
    keyward,
    errors,
    ask: (headers: HeadersInit = { 'x-api-key': key }) => any({ headers: new Headers(headers) }),
  };
}

const statusOf = (outcome: Outcome) => ('refusal' in outcome ? outcome.refusal.status : 200);
const problemOf = (outcome: Outcome) => ('refusal' in outcome ? JSON.parse(outcome.refusal.body) : undefined);

/** Checks one request whose key a stand-in judges. */
async function judge(answer: StandInAnswer, needs = {}) {
  await using standIn = await startStandIn(answer);
  const { keyward } = connect(standIn.url);
  return await keyward.check(needs)({ headers: new Headers({ 'x-api-key': key }) });
}

describe('the key', () => {
  const named = (...fields: readonly (readonly [string, string])[]) => ({
    headers: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]).toReversed()),
    rawHeaders: fields.flat(),
  });

  it.each<[string, ReturnType<typeof named>]>([
    ['X-API-Key', named(['X-API-Key', key])],
    ['a bearer token', named(['Authorization', `Bearer ${key}`])],
    ['a bearer token in small letters', named(['authorization', `bearer   ${key}  `])],
    ['both, alike', named(['authorization', `Bearer ${key}`], ['x-api-key', ` ${key}`])],
    ['X-API-Key beside another scheme', named(['authorization', 'Basic eDp5'], ['x-api-key', key])],
    ['the same field twice, alike', named(['X-API-Key', key], ['x-api-key', key])],
    [
      'the same bearer token twice',
      named(['Authorization', `Bearer ${key}`], ['authorization', `Bearer ${key}`]),
    ],
    ['fields that were joined', named(['x-api-key', `${key}, ${key}`])],
    ['what an application put there', { headers: { 'x-api-key': key }, rawHeaders: [] }],
  ])('%s → asks', async (_what, request) => {
    await using standIn = await startStandIn();
    const { keyward } = connect(standIn.url);
    expect(statusOf(await keyward.check({})(request))).toBe(200);
    expect(standIn.asked.map(({ question }) => question)).toEqual([{ key, permissions: [] }]);
  });

  it.each([
    ['no header', named()],
    ['another scheme', named(['authorization', 'Basic eDp5'])],
    ['a scheme that begins alike', named(['authorization', `Bearers ${key}`])],
    ['a tab after the scheme', named(['authorization', `Bearer\t${key}`])],
    ['what an application has removed', { headers: {}, rawHeaders: ['X-API-Key', key] }],
  ])('%s → no key', async (_what, request) => {
    await using standIn = await startStandIn();
    const outcome = await connect(standIn.url).keyward.check({})(request);
    expect(problemOf(outcome)).toEqual({
      title: 'Unauthorized',
      status: 401,
      detail: 'Not authenticated',
      reason: 'no_api_key',
    });
    expect(outcome).toHaveProperty('refusal.headers', {
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer realm="api"',
    });
    expect(standIn.asked).toEqual([]);
  });

  it.each([
    ['two different fields', named(['x-api-key', 'a'], ['x-api-key', 'b'])],
    ['two different fields, joined', named(['x-api-key', 'a, b'])],
    ['two different bearer tokens', named(['authorization', 'Bearer a'], ['authorization', 'Bearer b'])],
    ['two bearer tokens, joined', named(['authorization', 'Bearer a, bearer b'])],
    [
      'a bearer token beside another scheme',
      named(['authorization', 'Basic a'], ['authorization', 'Bearer b']),
    ],
    ['X-API-Key beside another bearer token', named(['x-api-key', 'a'], ['authorization', 'Bearer b'])],
    ['an empty key', named(['x-api-key', ''])],
    ['an empty bearer token', named(['authorization', 'Bearer '])],
    ['an empty key beside one', named(['x-api-key', ''], ['authorization', `Bearer ${key}`])],
    ['1001 characters', named(['x-api-key', 'a'.repeat(1001)])],
    ['60 kB', named(['x-api-key', 'a'.repeat(60_000)])],
    ['NUL', named(['x-api-key', 'a\0b'])],
    ['a line end', named(['x-api-key', 'a\r\nx-other: b'])],
    ['a space', named(['x-api-key', 'a b'])],
    ['another alphabet', named(['x-api-key', 'schlüssel'])],
    ['half a character', named(['x-api-key', 'a\ud800'])],
  ])('%s → a wrong key, without asking', async (_what, request) => {
    await using standIn = await startStandIn();
    const outcome = await connect(standIn.url).keyward.check({})(request);
    expect(problemOf(outcome)).toMatchObject({ status: 401, reason: 'invalid_api_key' });
    expect(outcome).toHaveProperty(
      'refusal.headers.www-authenticate',
      'Bearer realm="api", error="invalid_token"',
    );
    expect(standIn.asked).toEqual([]);
  });

  it('1000 characters → asks; Headers of Fetch that have a field named get → asks', async () => {
    await using standIn = await startStandIn();
    const { ask, keyward } = connect(standIn.url);
    expect(statusOf(await ask({ 'x-api-key': 'a'.repeat(1000), get: 'x' }))).toBe(200);
    expect(statusOf(await keyward.check({})({ headers: { get: 'x', 'x-api-key': key } }))).toBe(200);
  });
});

describe('what is asked', () => {
  it('the key, the needs and the address, with the credential', async () => {
    await using standIn = await startStandIn();
    const { keyward } = connect(`${standIn.url}/base/`);
    const check = keyward.check({ permissions: ['a.b', 'c', 'a.b'], cost: 0 });
    await check({ headers: { 'x-api-key': key } }, '192.0.2.7');
    const [{ question, headers, url } = {}] = standIn.asked;
    expect(question).toEqual({ key, permissions: ['a.b', 'c'], cost: 0, address: '192.0.2.7' });
    expect(headers).toMatchObject({
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
    });
    expect(url).toBe('/base/api/v1/keys/verify');
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::1', '::1'],
    ['2001:DB8::7', '2001:DB8::7'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%25]/x', 'fe80::1'],
    ['unknown', undefined],
    ['', undefined],
    ['1', undefined],
    ['1.2', undefined],
    ['1.2.3.256', undefined],
    ['01.2.3.4', undefined],
    ['1.2.3.4.5', undefined],
    ['1.2.3.4:80', undefined],
    ['1.2:3', undefined],
    ['abcd', undefined],
    [':::', undefined],
    ['::1]/@[::1', undefined],
    ['192.0.2.7, 192.0.2.8', undefined],
    ['1:2:3:4:5:6:7:8:9', undefined],
  ])('the address %j → %j', async (address, sent) => {
    await using standIn = await startStandIn();
    await connect(standIn.url).keyward.verify(key, { address });
    expect(standIn.asked[0]?.question['address']).toBe(sent);
    expect(Object.keys(standIn.asked[0]?.question ?? {})).toHaveLength(sent ? 3 : 2);
  });

  it.each([
    ['an unknown name', { permission: ['documents.read'] }],
    ['a text', { permissions: 'documents.read' }],
    ['undefined', { permissions: undefined }],
    ['null', { permissions: null }],
    ['a cost that is no number', { cost: '5' }],
    ['half a unit', { cost: 0.5 }],
    ['no needs', undefined],
  ])('needs with %s → refused when the route is set up', (_what, needs) => {
    const { keyward } = connect('http://127.0.0.1:1');
    expect(() => keyward.check(needs as never)).toThrow(TypeError);
  });

  it.each([
    ['no URL', { url: undefined, credential }],
    ['another scheme', { url: 'ftp://127.0.0.1', credential }],
    ['a user', { url: 'http://a:b@127.0.0.1', credential }],
    ['a query', { url: 'http://127.0.0.1?a', credential }],
    ['no credential', { url: 'http://127.0.0.1', credential: undefined }],
    ['an empty credential', { url: 'http://127.0.0.1', credential: '' }],
  ])('options with %s → refused', (_what, options) => {
    expect(() => createKeyward(options as never)).toThrow(TypeError);
  });

  it('needs that change later → those of the setup', async () => {
    await using standIn = await startStandIn();
    const permissions = ['a'];
    const check = connect(standIn.url).keyward.check({ permissions });
    permissions.length = 0;
    await check({ headers: { 'x-api-key': key } });
    expect(standIn.asked[0]?.question['permissions']).toEqual(['a']);
  });
});

describe('refusals', () => {
  const now = Date.parse('2026-01-31T12:00:00.100Z');
  const inSeconds = (seconds: number) => new Date(now + seconds * 1000 - 100).toISOString();
  const rate = { resets_at: inSeconds(40) };
  const quota = { refills_at: inSeconds(4000) };

  it.each(['not_found', 'inactive', 'expired', 'rotated', 'paused'])('%s → a wrong key', async (reason) => {
    expect(problemOf(await judge(() => refusedKey(reason)))).toEqual({
      title: 'Unauthorized',
      status: 401,
      detail: 'Could not validate credentials',
      reason: 'invalid_api_key',
    });
  });

  it.each([
    ['account_blocked', 'The account of this API key is blocked', undefined],
    ['address_not_allowed', 'The API key may not be used from this address', undefined],
    [
      'insufficient_permissions',
      'The API key needs the permissions: a b.c',
      'Bearer realm="api", error="insufficient_scope"',
    ],
    ['of_a_later_version', 'The API key may not be used for this request', undefined],
    ['constructor', 'The API key may not be used for this request', undefined],
    ['__proto__', 'The API key may not be used for this request', undefined],
  ])('%s → 403', async (reason, detail, challenge) => {
    const outcome = await judge(() => refusedKey(reason), { permissions: ['a', 'b.c'] });
    expect(problemOf(outcome)).toEqual({ title: 'Forbidden', status: 403, detail, reason });
    expect('refusal' in outcome && outcome.refusal.headers['www-authenticate']).toBe(challenge);
  });

  it.each<[string, object, number, string]>([
    ['rate_limited', { rate_limit: rate }, 40, 'The API key exceeded its rate limit.'],
    [
      'account_rate_limited',
      { entitlement: { rate_limit: rate } },
      40,
      'The API keys of this account exceeded their rate limit.',
    ],
    ['quota_exceeded', { quota }, 4000, 'The quota of the API key is used up.'],
    ['account_quota_exceeded', { entitlement: { quota } }, 4000, 'The quota of the account is used up.'],
    ['quota_exceeded', { quota: { refills_at: null } }, 3600, 'The quota of the API key is used up.'],
    ['rate_limited', { rate_limit: { resets_at: inSeconds(-5) } }, 1, 'The API key exceeded its rate limit.'],
    ['rate_limited', { rate_limit: null }, 3600, 'The API key exceeded its rate limit.'],
    [
      'account_rate_limited',
      { entitlement: null },
      3600,
      'The API keys of this account exceeded their rate limit.',
    ],
    ['quota_exceeded', { quota: { refills_at: 'soon' } }, 3600, 'The quota of the API key is used up.'],
  ])('%s %j → 429 for %i s', async (reason, left, seconds, sentence) => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    const outcome = await judge(() => refusedKey(reason, left));
    vi.useRealTimers();
    expect(problemOf(outcome)).toEqual({
      title: 'Too Many Requests',
      status: 429,
      detail: `${sentence} Retry in ${seconds} seconds.`,
      reason,
    });
    expect(outcome).toHaveProperty('refusal.headers.retry-after', `${seconds}`);
  });

  it('a valid key → the verification', async () => {
    expect(await judge(() => validKey)).toEqual({ caller: validKey });
  });
});

describe('faults', () => {
  const body = JSON.stringify(validKey);
  const unavailable = {
    title: 'Service Unavailable',
    status: 503,
    detail: 'The API key cannot be checked now. Try again later.',
    reason: 'unavailable',
  };

  it.each<[string, string | Buffer]>([
    ['an empty body', ''],
    ['HTML', '<html></html>'],
    ['a part of JSON', body.slice(0, -1)],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"valid"'],
    ['invalid UTF-8', Buffer.from(body.replace('documents', '\xff'), 'latin1')],
    ['a text for valid', body.replace('true', '"true"')],
    ['1 for valid', body.replace('true', '1')],
    ['no key', body.replace('"key_id":5', '"key_id":null')],
    ['no user', body.replace('"user_id":1', '"user_id":"1"')],
    ['half a user', body.replace('"user_id":1', '"user_id":1.5')],
    ['a refusal without a reason', '{"valid":false,"reason":null}'],
    ['2 MB', body.replace('}', `,"x":"${'a'.repeat(2_000_000)}"}`)],
    ['the key, not as JSON', `echo ${key}`],
  ])('%s → 503', async (_what, answer) => {
    await using standIn = await startRawStandIn((socket) => socket.write(httpAnswer(answer)));
    const { ask, errors } = connect(standIn.url);
    const outcome = await ask();
    expect(problemOf(outcome)).toEqual(unavailable);
    expect(outcome).toHaveProperty('refusal.headers.retry-after', '1');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.status).toBeUndefined();
    expect(standIn.requests).toHaveLength(1);
  });

  it.each([
    [201, '', 1],
    [204, '', 1],
    [302, 'location: /other\r\n', 1],
    [307, 'location: /other\r\n', 1],
    [401, '', 1],
    [403, '', 1],
    [422, '', 1],
    [429, 'retry-after: 7\r\n', 7],
    [500, 'retry-after: 0\r\n', 1],
    [502, 'retry-after: 3601\r\n', 1],
    [503, 'retry-after: 3600\r\n', 3600],
    [503, 'retry-after: 1.5\r\n', 1],
    [503, 'retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n', 1],
    [503, 'retry-after: -5\r\n', 1],
  ])('status %i %s→ 503 for %i s', async (status, fields, seconds) => {
    const head = `HTTP/1.1 ${status} X`;
    await using standIn = await startRawStandIn((socket) =>
      socket.write(status === 204 ? `${head}\r\n\r\n` : httpAnswer(body, head, fields)),
    );
    const { ask, errors } = connect(standIn.url);
    const outcome = await ask();
    expect(problemOf(outcome)).toEqual(unavailable);
    expect(outcome).toHaveProperty('refusal.headers.retry-after', `${seconds}`);
    expect(errors).toMatchObject([{ status, retryAfter: seconds }]);
    expect(standIn.requests).toHaveLength(1);
  });

  it.each<[string, (socket: import('node:net').Socket) => void]>([
    ['an end', (socket) => socket.end()],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['an end in the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"va')],
    ['something else than HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
  ])('%s after the request → 503, and the request is not sent again', async (_what, behave) => {
    await using standIn = await startRawStandIn(behave);
    const { ask, errors } = connect(standIn.url);
    expect(statusOf(await ask())).toBe(503);
    expect(errors).toHaveLength(1);
    await sleep(200);
    expect(standIn.requests).toHaveLength(1);
  });

  it.each<[string, (socket: import('node:net').Socket) => void]>([
    ['no answer', () => {}],
    ['an answer without an end', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n{')],
    [
      'one byte after another',
      (socket) => {
        const bytes = httpAnswer(body);
        let at = 0;
        const drip = setInterval(() => socket.write(bytes.subarray(at, ++at)), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('%s → 503 in time, and the connection is closed', async (_what, behave) => {
    let isClosed = false;
    await using standIn = await startRawStandIn((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      behave(socket);
    });
    const { ask, errors } = connect(standIn.url, { timeout: 300 });
    const start = performance.now();
    expect(statusOf(await ask())).toBe(503);
    expect(performance.now() - start).toBeGreaterThan(290);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(errors[0]?.message).toBe('Keyward did not answer in time');
    await expect.poll(() => isClosed).toBe(true);
  });

  it('no connection → tries once more, and asks if Keyward is there by then', async () => {
    const port = await freePort();
    const { ask, errors } = connect(`http://127.0.0.1:${port}`);
    expect(statusOf(await ask())).toBe(503);
    expect(errors[0]?.message).toBe('Keyward could not be asked: ECONNREFUSED');
    const asking = ask();
    await sleep(20);
    await using standIn = await startStandIn(() => validKey, port);
    expect(statusOf(await asking)).toBe(200);
    expect(standIn.asked).toHaveLength(1);
  });

  it('no connection to any address of a host → tries once more', async () => {
    const port = await freePort();
    const lookup = (_host: string, _options: object, done: (...answer: unknown[]) => void) =>
      done(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as never);
    const { ask, errors } = connect(`http://keyward.test:${port}`);
    const asking = ask();
    await sleep(20);
    await using _standIn = await startStandIn(() => validKey, port);
    expect([statusOf(await asking), errors]).toEqual([200, []]);
  });

  it('an unknown host → 503', async () => {
    const { ask, errors } = connect('http://keyward.invalid');
    expect(statusOf(await ask())).toBe(503);
    expect(errors[0]?.message).toMatch(/^Keyward could not be asked: (ENOTFOUND|EAI_AGAIN)$/);
  });

  it('a restart while the connection is idle → no request fails', async () => {
    const first = await startStandIn();
    const { ask } = connect(first.url);
    expect(statusOf(await ask())).toBe(200);
    await first[Symbol.asyncDispose]();
    await using _second = await startStandIn(() => validKey, first.port);
    await sleep(20);
    expect(statusOf(await ask())).toBe(200);
  });

  it('no message has the key or the credential', async () => {
    const texts: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((text) => texts.push(text));
    for (const secret of ['kws_with\nline', 'kws_ümlaut', 'kws_\0']) {
      const keyward = createKeyward({ url: 'http://127.0.0.1:1', credential: secret });
      expect(statusOf(await keyward.check({})({ headers: { 'x-api-key': key } }))).toBe(503);
    }
    expect(texts).toEqual(Array(3).fill('keyward: The credential cannot be read, or is not ASCII'));
  });

  it.each<[string, () => string | Promise<string>]>([
    ['throws nothing', () => Promise.reject()],
    [
      'throws what has the credential in its cause',
      () => {
        throw new Error('kws_secret', { cause: { code: 'kws_secret' } });
      },
    ],
    ['returns no text', () => 7 as never],
  ])('a function for the credential that %s → 503, and no word of it', async (_what, credential) => {
    const { errors, keyward } = connect('http://127.0.0.1:1', { credential });
    expect(statusOf(await keyward.check({})({ headers: { 'x-api-key': key } }))).toBe(503);
    expect(errors.map(({ message, cause }) => [message, cause])).toEqual([
      ['The credential cannot be read, or is not ASCII', undefined],
    ]);
    await expect(keyward.verify(key)).rejects.toThrow('cannot be read');
  });

  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['fails with nothing', () => Promise.reject()],
    ['fails later', () => Promise.reject(new Error('broken'))],
  ])('a handler of errors that %s → 503, and the error itself', async (_what, onError) => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    const { ask, keyward } = connect('http://127.0.0.1:1', { onError });
    expect(problemOf(await ask())).toEqual(unavailable);
    await expect(keyward.verify(key)).rejects.toThrow('Keyward could not be asked');
    await sleep(10);
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 600_001])(
  'the timeout %d → refused at once',
  (timeout) => {
    expect(() => createKeyward({ url: 'http://127.0.0.1', credential, timeout })).toThrow(
      'timeout is malformed',
    );
  },
);

it.each([[], new Map(), 5, '', () => ({ permissions: ['x'] }), null, new (class Needs {})()])(
  'needs that are no plain object are refused when the route is set up: %o',
  (needs) => {
    const { keyward } = connect('http://127.0.0.1:1');
    expect(() => keyward.check(needs as never)).toThrow(TypeError);
  },
);

it.each([5, ['192.0.2.7'], Promise.resolve('192.0.2.7'), {}])(
  'an address that is no text is left out: %o',
  async (address) => {
    await using standIn = await startStandIn();
    const { keyward } = connect(standIn.url);
    const outcome = await keyward.check({})({ headers: { 'x-api-key': key } }, address as never);
    expect(statusOf(outcome)).toBe(200);
    expect(standIn.asked[0]?.question).toEqual({ key, permissions: [] });
  },
);

it('after a trial that a runtime has dropped, another request tries', () => {
  const clock = performance.now.bind(performance);
  let elapsed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + elapsed);
  const enter = createCircuit();
  for (let times = 0; times < 5; times += 1) enter()?.(true);
  expect(enter()).toBeUndefined();
  elapsed += 2100;
  expect(enter()).toBeDefined();
  expect(enter()).toBeUndefined();
  elapsed += 2100;
  const report = enter();
  expect(report).toBeDefined();
  report?.(false);
  expect(enter()).toBeDefined();
  expect(enter()).toBeDefined();
});

describe('the credential', () => {
  it('a function → called for each request; white space around it does not matter', async () => {
    await using standIn = await startStandIn();
    let calls = 0;
    const { ask } = connect(standIn.url, { credential: async () => ` token-${++calls}\n` });
    await ask();
    await ask();
    expect(standIn.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('no token');
      },
    ],
    ['returns nothing', (() => undefined) as never],
    ['rejects with nothing', (() => Promise.reject()) as never],
  ])(
    'a function that %s → 503, also often, and Keyward is asked when it works again',
    async (_what, fails) => {
      await using standIn = await startStandIn();
      let isBroken = true;
      const { ask, errors } = connect(standIn.url, { credential: () => (isBroken ? fails() : 'token') });
      for (let at = 0; at < 8; at += 1) expect(statusOf(await ask())).toBe(503);
      expect(errors).toHaveLength(8);
      isBroken = false;
      expect(statusOf(await ask())).toBe(200);
      expect(standIn.asked).toHaveLength(1);
    },
  );

  it('a function without an end → 503 in time', async () => {
    await using standIn = await startStandIn();
    const { ask } = connect(standIn.url, { credential: () => new Promise(() => {}), timeout: 100 });
    for (let at = 0; at < 6; at += 1) expect(statusOf(await ask())).toBe(503);
  });
});

describe('the circuit', () => {
  /** A stand-in that answers with this status. */
  async function startFailing(status = { now: 500 }) {
    const standIn = await startRawStandIn((socket) =>
      socket.write(httpAnswer(JSON.stringify(validKey), `HTTP/1.1 ${status.now} X`)),
    );
    return Object.assign(standIn, { status });
  }

  it('after five faults → 503 at once for two seconds; then one request tries, and all is as before', async () => {
    await using standIn = await startFailing();
    const { ask, errors } = connect(standIn.url);
    for (let at = 0; at < 5; at += 1) await ask();
    expect(standIn.requests).toHaveLength(5);
    const start = performance.now();
    for (let at = 0; at < 50; at += 1) expect(statusOf(await ask())).toBe(503);
    expect(performance.now() - start).toBeLessThan(500);
    expect(standIn.requests).toHaveLength(5);
    // Only the causes are told.
    expect(errors).toHaveLength(5);
    await sleep(2010);
    await ask();
    await ask();
    expect(standIn.requests).toHaveLength(6);
    standIn.status.now = 200;
    await sleep(2010);
    const outcomes = await Promise.all([ask(), ask(), ask()]);
    expect(outcomes.map(statusOf).toSorted()).toEqual([200, 503, 503]);
    expect(statusOf(await ask())).toBe(200);
  });

  it('answers between faults → Keyward is asked each time', async () => {
    await using standIn = await startFailing();
    const { ask } = connect(standIn.url);
    for (let at = 0; at < 12; at += 1) {
      standIn.status.now = at % 4 === 3 ? 200 : 500;
      await ask();
    }
    expect(standIn.requests).toHaveLength(12);
  });

  it.each([401, 403, 422, 429])('%i from Keyward → 503, but Keyward is asked each time', async (status) => {
    await using standIn = await startFailing({ now: status });
    const { ask } = connect(standIn.url);
    for (let at = 0; at < 8; at += 1) expect(statusOf(await ask())).toBe(503);
    expect(standIn.requests).toHaveLength(8);
  });

  it('faults of requests that began before do not open it again', async () => {
    let held: (() => void)[] = [];
    let isDown = true;
    await using standIn = await startRawStandIn((socket) => {
      if (isDown) held.push(() => socket.destroy());
      else socket.write(httpAnswer(JSON.stringify(validKey)));
    });
    const { ask } = connect(standIn.url);
    const first = Array.from({ length: 10 }, () => ask());
    await expect.poll(() => held.length).toBe(10);
    const late = held.splice(5);
    for (const end of held) end();
    held = [];
    await Promise.all(first.slice(0, 5));
    isDown = false;
    await sleep(2010);
    expect(statusOf(await ask())).toBe(200);
    for (const end of late) end();
    await Promise.all(first);
    expect(statusOf(await ask())).toBe(200);
  });

  it('failures of the credential → neither count, nor hold up a trial', async () => {
    await using standIn = await startFailing();
    let isBroken = false;
    const token = () => {
      if (isBroken) throw new Error('no token');
      return 'token';
    };
    const { ask } = connect(standIn.url, { credential: token });
    for (let at = 0; at < 4; at += 1) await ask();
    isBroken = true;
    await ask();
    isBroken = false;
    await ask();
    await ask();
    expect(standIn.requests).toHaveLength(5);
    await sleep(2010);
    isBroken = true;
    await ask();
    isBroken = false;
    standIn.status.now = 200;
    expect(statusOf(await ask())).toBe(200);
  });

  it('fifty requests at once while Keyward hangs → all end in time', async () => {
    await using standIn = await startRawStandIn(() => {});
    const { ask } = connect(standIn.url, { timeout: 400 });
    const start = performance.now();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask()));
    expect(new Set(outcomes.map(statusOf))).toEqual(new Set([503]));
    expect(performance.now() - start).toBeLessThan(1500);
    expect(standIn.requests).toHaveLength(50);
  });
});

describe('verify', () => {
  it('a valid and a refused key → the verification; no key → not found, without asking', async () => {
    await using standIn = await startStandIn(({ key }) => (key === 'a' ? validKey : refusedKey('paused')));
    const { keyward } = connect(standIn.url);
    expect(await keyward.verify('a')).toEqual(validKey);
    expect(await keyward.verify('b', { permissions: ['x'] })).toMatchObject({
      valid: false,
      reason: 'paused',
    });
    expect(await keyward.verify('')).toMatchObject({ valid: false, reason: 'not_found', key_id: null });
    expect(standIn.asked).toHaveLength(2);
  });

  it('a fault → an error with the status; a mistake → a TypeError', async () => {
    await using standIn = await startRawStandIn((socket) =>
      socket.write(httpAnswer('', 'HTTP/1.1 503 X', 'retry-after: 9\r\n')),
    );
    const { keyward } = connect(standIn.url);
    await expect(keyward.verify(key)).rejects.toMatchObject({
      name: 'KeywardError',
      status: 503,
      retryAfter: 9,
    });
    await expect(keyward.verify(key, { cost: '1' } as never)).rejects.toThrow(TypeError);
  });
});

it('a redirect to another host → nothing is sent there', async () => {
  let visits = 0;
  const other = createServer((_request, response) => {
    visits += 1;
    response.end(JSON.stringify(validKey));
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const location = `location: http://127.0.0.1:${(other.address() as AddressInfo).port}/\r\n`;
  await using standIn = await startRawStandIn((socket) =>
    socket.write(httpAnswer('', 'HTTP/1.1 308 X', location)),
  );
  expect(statusOf(await connect(standIn.url).ask())).toBe(503);
  expect(visits).toBe(0);
  other.close();
});

it('a listener whose queue is full → no request waits longer than it may', async () => {
  const server = createNetServer({ pauseOnConnect: true });
  await once(server.listen(0, '127.0.0.1', 1), 'listening');
  const { ask } = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { timeout: 200 });
  const start = performance.now();
  expect(statusOf(await ask())).toBe(503);
  expect(performance.now() - start).toBeLessThan(1000);
  server.close();
});
