import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { faults, startFaultyKeyward } from './faulty-keyward.ts';
import { startKeyService } from './key-service.ts';
import { createTemporaryFolder, freePort } from './process.ts';
import { startProxy } from './proxy-process.ts';

/** An API that asks Keyward with one of the packages: see `test/packages/apps`. */
export interface ProtectedApi {
  readonly name: string;
  /** Whether what it needs is on this machine. */
  readonly isHere: boolean;
  /**
   * What starts it.
   * @param folder where the package is installed
   */
  readonly command: (folder: string) => readonly [program: string, ...args: string[]];
}

type Service = Awaited<ReturnType<typeof startKeyService>>['service'];

const past = new Date('2026-01-01');

/** The keys that a person has from the start, by what is special about them. */
const stored = {
  reader: { permissions: '["documents.*"]' },
  expired: { expiresAt: past },
  inactive: { isActive: false, deactivatedAt: past },
  paused: { pausedAt: past },
  elsewhere: { allowedAddresses: '["192.0.2.0/24"]' },
  here: { allowedAddresses: '["127.0.0.1"]' },
} as const;

const json = { 'content-type': 'application/json' };

/** Calls Keyward for a person. */
const call = async (service: Service, subject: string, method: string, path: string, body: object = {}) => {
  const headers = { ...json, authorization: `Bearer ${await service.token(subject)}` };
  const answer = await fetch(`${service.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.ok, `${method} ${path}: ${text}`).toBe(true);
  return JSON.parse(text) as { id: number; key: string; user_id: number };
};

const createKey = (service: Service, subject: string, body: object = {}) =>
  call(service, subject, 'POST', '/auth/keys', body);

/** A key of an account that something is wrong with. */
async function createIn(service: Service, subject: string, method: string, path: string, body: object) {
  const { key } = await createKey(service, subject);
  const { user_id } = await call(service, 'operator', 'PUT', '/admin/accounts', {
    issuer: `${service.url}/idp`,
    subject,
  });
  await call(service, 'operator', method, `/admin/accounts/${user_id}${path}`, { ...body, reason: 'A test' });
  return key;
}

/** Keys with limits of their own, or of their accounts. A limit of 0 is used up from the start. */
const createLimited = async (service: Service) => ({
  ...{ spent: (await createKey(service, 'limited', { quota: { limit: 0, refill: 'never' } })).key },
  ...{ spentToday: (await createKey(service, 'limited', { quota: { limit: 0, refill: 'daily' } })).key },
  blocked: await createIn(service, 'blocked', 'POST', '/block', {}),
  accountSpent: await createIn(service, 'spent', 'PUT', '/entitlement', {
    overrides: { quota: { limit: 0, refill: 'monthly' } },
  }),
});

/** A key that may be used once in an hour, and has been. */
async function createRateLimited(service: Service, subject: string, isAccounts: boolean) {
  const rate_limit = { limit: 1, window_seconds: 3600 };
  const key = isAccounts
    ? await createIn(service, subject, 'PUT', '/entitlement', { overrides: { rate_limit } })
    : (await createKey(service, subject, { rate_limit })).key;
  await fetch(`${service.url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } });
  return key;
}

/** A Keyward with keys in all states. */
async function startWorld(stack: AsyncDisposableStack) {
  const folder = stack.use(await createTemporaryFolder());
  const names = Object.keys(stored) as (keyof typeof stored)[];
  const { service, key, others } = stack.use(
    await startKeyService(folder.path, { ADMIN: 'on' }, Object.values(stored)),
  );
  const named = Object.fromEntries(names.map((name, at) => [name, others[at]?.secret ?? '']));
  const keys: Record<string, string> = {
    ...named,
    good: key.secret,
    unknown: createApiKeySecret(),
    ...(await createLimited(service)),
    frequent: await createRateLimited(service, 'limited', false),
    accountFrequent: await createRateLimited(service, 'frequent', true),
  };
  return { service, keys };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** What a client of an API sees. */
async function ask(url: string, path: string, headers: HeadersInit, method = 'GET') {
  // No API may keep a client waiting for long: each is told to ask Keyward for a second at most.
  const answer = await fetch(`${url}${path}`, { method, headers, signal: AbortSignal.timeout(15_000) });
  const { status, headers: got } = answer;
  return {
    status,
    type: got.get('content-type')?.split(';')[0],
    challenge: got.get('www-authenticate'),
    retryAfter: got.get('retry-after'),
    body: (await answer.json()) as Record<string, unknown>,
  };
}

const unavailable = {
  status: 503,
  type: 'application/problem+json',
  challenge: null,
  body: {
    title: 'Service Unavailable',
    status: 503,
    detail: 'The API key cannot be checked now. Try again later.',
    reason: 'unavailable',
  },
};

/** What each client sends, and for what path; Keyward itself says at its door for proxies how it is refused. */
const refusals: readonly (readonly [
  what: string,
  path: '/me' | '/documents',
  headers: (keys: World['keys']) => [string, string][],
])[] = [
  ['no key', '/me', () => []],
  ['credentials of another scheme', '/me', () => [['authorization', 'Basic YTpi']]],
  ['an unknown key', '/me', ({ unknown = '' }) => [['x-api-key', unknown]]],
  ['a text that is no key', '/me', () => [['x-api-key', '\u00e9 " \\ ;{}']]],
  ['a text that is too long for a key', '/me', () => [['x-api-key', 'k'.repeat(2000)]]],
  ['an empty key', '/me', () => [['x-api-key', '']]],
  [
    'two different keys',
    '/me',
    ({ good = '', unknown = '' }) => [
      ['x-api-key', good],
      ['authorization', `Bearer ${unknown}`],
    ],
  ],
  ['an inactive key', '/me', ({ inactive = '' }) => [['x-api-key', inactive]]],
  ['an expired key', '/me', ({ expired = '' }) => [['authorization', `Bearer ${expired}`]]],
  ['a paused key', '/me', ({ paused = '' }) => [['x-api-key', paused]]],
  ['a key of a blocked account', '/me', ({ blocked = '' }) => [['x-api-key', blocked]]],
  ['a key for other addresses', '/me', ({ elsewhere = '' }) => [['x-api-key', elsewhere]]],
  ['a key without the permission', '/documents', ({ good = '' }) => [['x-api-key', good]]],
  ['a key that was used too often', '/me', ({ frequent = '' }) => [['x-api-key', frequent]]],
  [
    'a key of an account that used its keys too often',
    '/me',
    ({ accountFrequent = '' }) => [['x-api-key', accountFrequent]],
  ],
  ['a key without units, for ever', '/me', ({ spent = '' }) => [['x-api-key', spent]]],
  ['a key without units, today', '/me', ({ spentToday = '' }) => [['x-api-key', spentToday]]],
  ['a key of an account without units', '/me', ({ accountSpent = '' }) => [['x-api-key', accountSpent]]],
];

/**
 * Describes how APIs that ask Keyward with a package answer: all of them alike.
 * @param apis the APIs
 * @param install installs the package, and what the APIs are, into an empty folder
 */
export function describePackage({
  apis,
  install,
}: {
  readonly apis: readonly ProtectedApi[];
  readonly install: (folder: string) => Promise<void>;
}): void {
  const stack = new AsyncDisposableStack();
  let world: World;
  let installed: string;
  beforeAll(async () => {
    if (!apis.some(({ isHere }) => isHere)) return;
    world = await startWorld(stack);
    installed = stack.use(await createTemporaryFolder()).path;
    await install(installed);
  });
  afterAll(() => stack.disposeAsync());

  describe.each(apis)('$name', ({ isHere, command }) => {
    const running = new AsyncDisposableStack();
    let keyward: Awaited<ReturnType<typeof startFaultyKeyward>>;
    let url: string;

    beforeAll(async () => {
      if (!isHere) return;
      keyward = running.use(await startFaultyKeyward(world.service.port));
      const [program, ...args] = command(installed);
      url = `http://127.0.0.1:${await freePort()}`;
      const env = {
        ...{ PATH: process.env['PATH'], PORT: new URL(url).port, KEYWARD_URL: keyward.url },
        ...{ KEYWARD_CREDENTIAL: developmentServerSecret, KEYWARD_TIMEOUT_MS: '1000' },
      };
      running.use(await startProxy(program, args, installed, `${url}/health`, env));
    });
    afterAll(() => running.disposeAsync());

    const good = () => ({ 'x-api-key': world.keys['good'] ?? '' });
    /** Waits until a good key passes again: a circuit that has opened closes after two seconds. */
    const untilWorking = () =>
      expect.poll(() => ask(url, '/me', good()).then(({ status }) => status), { interval: 300 }).toBe(200);

    it.runIf(isHere)('lets a valid key pass, and knows whose it is', async () => {
      const { good = '', reader = '', here = '' } = world.keys;
      const known = { user_id: 1, key_id: expect.any(Number), permissions: [] };
      expect(await ask(url, '/me', { 'x-api-key': good })).toMatchObject({ status: 200, body: known });
      expect(await ask(url, '/me', { authorization: `bearer   ${good}` })).toMatchObject({ status: 200 });
      const twice = { 'x-api-key': good, authorization: `Bearer ${good}` };
      expect(await ask(url, '/me', twice)).toMatchObject({ status: 200, body: known });
      expect(await ask(url, '/documents', { 'x-api-key': reader })).toMatchObject({
        status: 200,
        body: { permissions: ['documents.*'] },
      });
      expect(await ask(url, '/me', { 'x-api-key': here })).toMatchObject({ status: 200 });
    });

    it.runIf(isHere)('uses as many units as the request costs', async () => {
      const { key } = await createKey(world.service, 'alice', { quota: { limit: 10, refill: 'never' } });
      const statuses: number[] = [];
      for (let times = 0; times < 3; times += 1)
        statuses.push((await ask(url, '/exports', { 'x-api-key': key }, 'POST')).status);
      expect(statuses).toEqual([200, 200, 429]);
    });

    it.runIf(isHere).each(refusals)('refuses %s as Keyward itself does', async (_what, path, headers) => {
      const sent = headers(world.keys);
      const require: [string, string][] =
        path === '/documents' ? [['x-keyward-require', 'documents.read']] : [];
      const itself = await ask(world.service.url, '/api/v1/keys/authorize', [...sent, ...require]);
      const answer = await ask(url, path, sent);
      expect(itself.status).toBeGreaterThanOrEqual(400);
      // The clock may pass a whole second between the two.
      const aboutNow = expect.stringMatching(/^[1-9]\d*$/);
      const detail = expect.stringContaining(`${itself.body['detail']}`.replace(/\d+ seconds\.$/, ''));
      expect(answer).toEqual({
        ...itself,
        retryAfter: itself.retryAfter === null ? null : aboutNow,
        body: { ...itself.body, detail },
      });
      const apart = Math.abs(Number(itself.retryAfter) - Number(answer.retryAfter));
      expect(apart).toBeLessThan(30);
    });

    it.runIf(isHere).each(Object.keys(faults))('lets nobody pass, and asks once: %s', async (name) => {
      await untilWorking();
      const before = keyward.questions();
      keyward.fail(faults[name]);
      try {
        const answer = await ask(url, '/me', good());
        expect(answer).toEqual({ ...unavailable, retryAfter: expect.stringMatching(/^(1|7)$/) });
        if (name.startsWith('status 503')) expect(answer.retryAfter).toBe('7');
        expect(keyward.questions()).toBe(before + 1);
      } finally {
        keyward.fail(undefined);
      }
    });

    it.runIf(isHere)('lets nobody pass while Keyward is away, and everybody once it is back', async () => {
      await untilWorking();
      keyward.leave();
      try {
        expect(await ask(url, '/me', good())).toMatchObject(unavailable);
        expect(await ask(url, '/health', {})).toMatchObject({ status: 200 });
        // Without a key, there is nothing to ask.
        expect(await ask(url, '/me', {})).toMatchObject({ status: 401 });
      } finally {
        await keyward.comeBack();
      }
      await untilWorking();
    });

    it.runIf(isHere)('loses no request if Keyward restarts between two', async () => {
      await untilWorking();
      for (let times = 0; times < 5; times += 1) {
        keyward.leave();
        await keyward.comeBack();
        expect((await ask(url, '/me', good())).status).toBe(200);
      }
    });

    it.runIf(isHere)('stops asking for a while after some faults in a row', async () => {
      await untilWorking();
      keyward.fail(faults['status 500']);
      const before = keyward.questions();
      try {
        for (let times = 0; times < 10; times += 1)
          expect(await ask(url, '/me', good())).toMatchObject(unavailable);
        expect(keyward.questions() - before).toBe(5);
        // A good while later, one request finds out whether Keyward works again.
        await delay(2200);
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => ask(url, '/me', good()).then(({ status }) => status)),
        );
        expect(answers).toEqual(Array(10).fill(503));
        expect(keyward.questions() - before).toBe(6);
      } finally {
        keyward.fail(undefined);
      }
      await untilWorking();
    });

    it.runIf(isHere)('refusals of Keyward itself do not stop others from asking', async () => {
      await untilWorking();
      const before = keyward.questions();
      keyward.fail(faults['status 401, because its secret is wrong']);
      for (let times = 0; times < 7; times += 1) await ask(url, '/me', good());
      keyward.fail(undefined);
      expect(keyward.questions() - before).toBe(7);
      expect(await ask(url, '/me', good())).toMatchObject({ status: 200 });
    });
  });
}
