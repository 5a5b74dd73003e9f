import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { developmentApi } from '../../src/dev/issuer.ts';
import { type ExactRequest, send, stream, upgrade } from './exact-client.ts';
import type { DocumentedProxy } from './forward-auth-recipes.ts';
import { startKeyService } from './key-service.ts';
import { createTemporaryFolder } from './process.ts';
import { type Received, readLikeCgi, startProxiedApi } from './proxied-api.ts';

type Headers = NonNullable<ExactRequest['headers']>;

const userHeader = 'X-Keyward-User';
const keyHeader = 'X-Keyward-Key';
const organizationHeader = 'X-Keyward-Organization';
const planHeader = 'X-Keyward-Plan';
const permissionsHeader = 'X-Keyward-Permissions';
const assertionHeader = 'X-Keyward-Assertion';
const requireHeader = 'X-Keyward-Require';

const byBearer = (secret: string): Headers => [['Authorization', `Bearer ${secret}`]];
const byApiKey = (secret: string): Headers => [['X-API-Key', secret]];

/** How a client may spell a header that the proxy sets, so that some application takes it for that. */
const spellings = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replaceAll('-', '_'),
  (name: string) => name.replace('-', '_'),
  (name: string) => name.replace(/-(?=\w+$)/, '_').toLowerCase(),
  (name: string) => name.replaceAll('-', '.'),
];

/** The numbers of the accounts. */
const accounts = { alice: '1', bob: '2' };
type Subject = keyof typeof accounts;

/** Requests with one key in a minute: more than all tests send with a key that they share. */
const limit = 60;

/** Keys that are not good which an address may try in a minute. */
const guesses = 5;

/** Permissions of the greatest length, each with the same beginning. */
const longPermissions = (beginning: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${beginning}.${at}-`.padEnd(100, 'x'));

/**
 * A plan's permissions, and a key's, for the longest assertion: what one has in full, the other has as a wildcard, so
 * that the key may do what both lists name.
 */
const longest = {
  plan: ['documents.*', 'first.*', ...longPermissions('second', 48)],
  key: ['second.*', ...longPermissions('first', 49)],
};
const allowed = [...longest.plan, ...longest.key].filter((permission) => permission.length === 100);

/** A proxy between a client and an API, beside a Keyward of its own. */
async function startStack(proxy: DocumentedProxy, stack: AsyncDisposableStack) {
  const folder = stack.use(await createTemporaryFolder());
  const api = stack.use(await startProxiedApi());
  const plans = join(folder.path, 'plans.yaml');
  // YAML includes JSON.
  await writeFile(plans, JSON.stringify({ default: 'free', plans: { free: { permissions: longest.plan } } }));
  const env = {
    PLANS_FILE: plans,
    RATE_LIMIT_API_KEY: `${limit}/60`,
    RATE_LIMIT_ADDRESS: `${guesses}/60`,
    // The test's own requests to Keyward.
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    TRUST_PROXY: '127.0.0.1',
  };
  const { service, others } = stack.use(
    await startKeyService(folder.path, env, [
      { permissions: '["documents.read"]' },
      { permissions: '["documents.write"]' },
      { allowedAddresses: '["127.0.0.2"]' },
      { permissions: JSON.stringify(longest.key) },
    ]),
  );
  const [reader, writer, bound, wide] = others.map(({ secret }) => secret) as [
    string,
    string,
    string,
    string,
  ];
  const front = stack.use(await proxy.start(folder.path, { keyward: service.port, api: api.port }));

  const manage = async (subject: Subject, method: string, path = '') => {
    const headers = {
      authorization: `Bearer ${await service.token(subject)}`,
      'content-type': 'application/json',
    };
    const body = method === 'POST' ? { body: '{}' } : {};
    return await fetch(`${service.url}/api/v1/auth/keys${path}`, { method, headers, ...body });
  };
  const createKey = async (subject: Subject) => {
    const { id, key } = (await (await manage(subject, 'POST')).json()) as { id: number; key: string };
    const identity = [[accounts[subject]], [`${id}`], [], ['free'], []];
    return { id, subject, secret: key, identity };
  };
  const revoke = (subject: Subject, id: number) => manage(subject, 'DELETE', `/${id}`);
  const keys = { alice: await createKey('alice'), bob: await createKey('bob') };
  return { ...front, api, service, keys, reader, writer, bound, wide, createKey, revoke };
}

type Stack = Awaited<ReturnType<typeof startStack>>;

const plain = [userHeader, keyHeader, organizationHeader, planHeader, permissionsHeader];
const told = [...plain, assertionHeader];

const valuesOf = (received: Received | undefined, name: string): string[] =>
  received ? readLikeCgi(received, name).filter((value) => value !== '') : [];

/** Whose key it is, and what it was asked for, as an API reads it. */
const identityOf = (received: Received | undefined) =>
  received && plain.map((name) => valuesOf(received, name));

const requestIdHeader = 'X-Request-Id';

/** The body of a refusal, which must be a problem (RFC 9457), and its status. */
function problemOf({ status, headers, body }: Awaited<ReturnType<typeof send>>): Record<string, unknown> {
  expect(headers['content-type']).toBe('application/problem+json');
  const problem = JSON.parse(body) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, title: STATUS_CODES[`${status}`] });
  return problem;
}

/** Tests that a proxy, configured as documented, lets through what Keyward allows, and nothing else. */
export function describeDocumentedProxy(proxy: DocumentedProxy): void {
  describe.skipIf(!proxy.isRun)(`${proxy.name}, configured as documented`, () => {
    const stack = new AsyncDisposableStack();
    let running: Stack;

    beforeAll(async () => {
      running = await startStack(proxy, stack);
    }, 30_000);
    afterAll(() => stack.disposeAsync());

    const call = (headers: Headers, wanted: ExactRequest = {}) =>
      send(running.url, { target: '/v1/things', ...wanted, headers });
    const latest = () => running.api.received.at(-1);

    /** What the assertion of a request says. It must be the only one, and valid. */
    const claimsOf = async (received: Received | undefined) => {
      const [assertion = '', ...others] = valuesOf(received, assertionHeader);
      expect(others).toEqual([]);
      const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', running.service.url));
      const wanted = { issuer: running.service.url, audience: developmentApi, typ: 'at+jwt' };
      return (await jwtVerify(assertion, keys, wanted)).payload;
    };

    /** Expects that an API is told of a key and of nothing else, in each of the headers. */
    const expectToldOf = async (
      received: Received | undefined,
      { id, subject, identity }: Stack['keys']['alice'],
    ) => {
      expect(identityOf(received)).toEqual(identity);
      expect(await claimsOf(received)).toMatchObject({
        client_id: `key:${id}`,
        sub: subject,
        keyward: { user_id: Number(accounts[subject]) },
      });
    };

    /** Does something, and tells how many requests reached the API meanwhile. */
    const countPassed = async (act: () => Promise<unknown>) => {
      const before = running.api.received.length;
      await act();
      return running.api.received.length - before;
    };

    it('lets a good key pass, by either header, and tells the API whose it is and not what', async () => {
      const key = running.keys.alice;
      const target = '/v1/a%20b/%7e;v=1?page=2&q=%20a+b//../%2f';
      for (const headers of [byBearer(key.secret), byApiKey(key.secret)]) {
        const answer = await call(headers, { target });
        expect(answer).toMatchObject({ status: 200, body: 'from the API' });
        expect(latest()).toMatchObject({ method: 'GET', target });
        await expectToldOf(latest(), key);
        expect(JSON.stringify(latest())).not.toContain(key.secret);
      }
    });

    const { most } = proxy;
    const cookies = Array.from({ length: Math.floor(most.all / most.line) }, (_, at) =>
      `c${at}=`.padEnd(most.line - 20, 'x'),
    );

    it.each([
      [`${most.all} bytes of cookies`, '/v1/things', cookies.map((cookie) => ['Cookie', cookie] as const)],
      [`a query of ${most.line} bytes`, `/v1/things?${'q'.repeat(most.line - 50)}`, []],
      [
        '100 header fields',
        '/v1/things',
        Array.from({ length: 90 }, (_, at) => [`X-Other-${at}`, 'value'] as const),
      ],
    ])(
      'lets a long request pass, because Keyward gets nothing of it but the key: %s',
      async (_what, target, more) => {
        const { secret } = running.keys.alice;
        const answer = await call([...byApiKey(secret), ...more], { target });
        expect(answer).toMatchObject({ status: 200, body: 'from the API' });
        expect(latest()?.target).toBe(target);
        expect(running.service.output.stdout).not.toContain('"status":431');
      },
    );

    it('tells the API what a key may do, and of the longest assertion beside a long request', async () => {
      expect((await call(byBearer(running.reader))).status).toBe(200);
      expect(await claimsOf(latest())).toMatchObject({ scope: 'documents.read' });
      const headers = [...byApiKey(running.wide), ...cookies.map((cookie) => ['Cookie', cookie] as const)];
      expect(await call(headers)).toMatchObject({ status: 200, body: 'from the API' });
      const [assertion = ''] = valuesOf(latest(), assertionHeader);
      expect(assertion.length).toBeGreaterThan(13_000);
      const { scope } = await claimsOf(latest());
      expect(`${scope}`.split(' ').toSorted()).toEqual(allowed.toSorted());
    });

    it('never passes a request on with less, however long it is', async () => {
      for (let size = 12_000; size <= 34_000; size += 2_000) {
        const long = Array.from({ length: size / 2_000 }, () => ['X-Long', 'x'.repeat(1_990)] as const);
        const passed = await countPassed(async () => {
          const { status } = await call([...byApiKey(running.wide), ...long]);
          expect([size, status]).toEqual([size, expect.toBeOneOf([200, 400, 431])]);
        });
        if (passed > 0) expect(await claimsOf(latest())).toMatchObject({ keyward: { user_id: 1 } });
      }
    });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('keeps method and body: %s', async (method) => {
      const { secret } = running.keys.alice;
      const body = 'x'.repeat(100_000);
      expect(await call(byApiKey(secret), { method, body })).toMatchObject({ status: 200 });
      expect(latest()).toMatchObject({ method, target: '/v1/things', body });
    });

    it('refuses what is no key, and hands the challenge on', async () => {
      const refused = async (headers: Headers) => {
        const answer = await call(headers);
        return [answer.status, answer.headers['www-authenticate']];
      };
      const passed = await countPassed(async () => {
        expect(await refused([])).toEqual([401, 'Bearer realm="api"']);
        const invalid = [401, 'Bearer realm="api", error="invalid_token"'];
        expect(await refused(byBearer(createApiKeySecret()))).toEqual(invalid);
        expect(await refused(byApiKey('x'))).toEqual(invalid);
        expect((await call([], { target: '/keyward' })).status).toBeOneOf([401, 404]);
      });
      expect(passed).toBe(0);
    });

    it('refuses a key at once that is revoked', async () => {
      const { id, secret } = await running.createKey('alice');
      expect((await call(byApiKey(secret))).status).toBe(200);
      expect((await running.revoke('alice', id)).status).toBe(200);
      expect(await countPassed(async () => expect((await call(byApiKey(secret))).status).toBe(401))).toBe(0);
    });

    it('hands on that there are too many requests, and for how long', async () => {
      const { secret } = await running.createKey('alice');
      const passed = await countPassed(async () => {
        for (let sent = 0; sent < limit; sent += 1) expect((await call(byBearer(secret))).status).toBe(200);
        const refused = await call(byBearer(secret));
        expect(refused.status).toBe(429);
        expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
        expect(problemOf(refused)).toMatchObject({
          reason: 'rate_limited',
          detail: `The API key exceeded its rate limit. Retry in ${refused.headers['retry-after']} seconds.`,
        });
      });
      expect(passed).toBe(limit);
    });

    describe('a header of a client that looks like one of its own', () => {
      const forge = (spell: (name: string) => string): Headers =>
        [...told, ...told].map((name) => [spell(name), '1']);

      it.each(spellings.map((spell) => [spell(userHeader), spell] as const))(
        'does not reach the API beside a good key, nor lets in without one: %s',
        async (_spelling, spell) => {
          const key = running.keys.bob;
          expect((await call([...byApiKey(key.secret), ...forge(spell)])).status).toBe(200);
          expect((await call([...forge(spell), ...byApiKey(key.secret)])).status).toBe(200);
          for (const received of running.api.received.slice(-2)) await expectToldOf(received, key);
          expect(key.identity).not.toEqual([['1'], ['1'], ['1'], []]);
          const passed = await countPassed(async () => expect((await call(forge(spell))).status).toBe(401));
          expect(passed).toBe(0);
        },
      );

      it('does not reach the API in all spellings at once', async () => {
        const key = running.keys.bob;
        // Proxies take some hundred fields.
        const forged = told.flatMap((name) => spellings.map((spell) => [spell(name), '1'] as const));
        expect((await call([...forged, ...byBearer(key.secret), ...forged])).status).toBe(200);
        await expectToldOf(latest(), key);
      });
    });

    it.each<[string, Headers]>([
      ['in one line', [['Connection', `close, ${told.join(', ')}`]]],
      ['in small letters', [['Connection', `close, ${told.join(', ').toLowerCase()}`]]],
      ['in lines of their own', told.map((name) => ['Connection', name])],
      [
        'beside forged ones',
        [
          ['Connection', userHeader],
          ['X_Keyward_User', '1'],
        ],
      ],
    ])('sets its headers even if Connection names them: %s', async (_how, headers) => {
      const key = running.keys.bob;
      expect((await call([...byApiKey(key.secret), ...headers])).status).toBe(200);
      const received = latest();
      await expectToldOf(received, key);
      // Another proxy behind it would take them away.
      expect(received && readLikeCgi(received, 'Connection').join()).not.toMatch(/keyward/i);
      expect(await countPassed(async () => expect((await call(headers)).status).toBe(401))).toBe(0);
    });

    describe('a permission that a path needs', () => {
      const refused = async (headers: Headers, target = '/documents/1') => {
        const passed = await countPassed(async () => {
          const { status, headers: answered } = await call(headers, { target });
          const challenge = 'Bearer realm="api", error="insufficient_scope"';
          expect([target, status, answered['www-authenticate']]).toEqual([target, 403, challenge]);
        });
        expect(passed).toBe(0);
      };
      const without = () => byApiKey(running.keys.bob.secret);
      const having = () => byBearer(running.reader);

      it('lets pass a key that has it, and refuses one that has not, there alone', async () => {
        expect((await call(having(), { target: '/documents/1' })).status).toBe(200);
        expect(latest()).toMatchObject({ target: '/documents/1' });
        expect(latest() && readLikeCgi(latest() as Received, requireHeader)).toEqual([]);
        expect(identityOf(latest())?.at(-1)).toEqual(['documents.read']);
        await refused(without());
        expect((await call(without())).status).toBe(200);
        expect((await call([], { target: '/documents/1' })).status).toBe(401);
      });

      it.each([
        ...(['GET', 'HEAD'] as const).map((method) => [method, 'read'] as const),
        ...(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'OPTIONS'] as const).map(
          (method) => [method, 'write'] as const,
        ),
      ])('depends on the method: %s → documents.%s', async (method, needed) => {
        const attempt = async (secret: string) => {
          const wanted = { method, target: '/documents/1' };
          const count = await countPassed(async () => {
            expect((await call(byApiKey(secret), wanted)).status).toBeOneOf([200, 204, 403]);
          });
          return count === 1 && latest()?.method === method;
        };
        expect(await attempt(running.reader)).toBe(needed === 'read');
        expect(await attempt(running.writer)).toBe(needed === 'write');
        expect(await attempt(running.keys.bob.secret)).toBe(false);
      });

      it.each([
        ...['/documents', '/documents/', '/documents?page=2', '/documents/a/b', '/documents.json'],
        ...['/%64ocuments/1', '/DOCUMENTS/1', '/documents;v=1/1', '/documents%3Bv=1/1', '/documents%20'],
      ])('is asked for however an application may be asked for the path: %s', async (target) => {
        await refused(without(), target);
      });

      it.each([
        ...[
          '//documents/1',
          '/./documents/1',
          '/x/../documents/1',
          '/x/%2e%2E/documents/1',
          '/x/..;/documents',
        ],
        ...[
          '/documents%2F1',
          '/%5cdocuments/1',
          '/documents%00',
          '/x\\..\\documents/1',
          '/%zz/../documents/1',
        ],
      ])('lets nobody pass on a path that can be read in two ways: %s', async (target) => {
        const passed = await countPassed(async () => {
          for (const headers of [having(), without(), []])
            expect((await call(headers, { target })).status).toBe(400);
          const asking: Headers = [['Access-Control-Request-Method', 'PUT']];
          expect((await call(asking, { target, method: 'OPTIONS' })).status).toBe(400);
        });
        expect(passed).toBe(0);
      });

      it('and nothing else is what the API is told of', async () => {
        expect((await call([...having(), [permissionsHeader, 'documents.read']])).status).toBe(200);
        expect(identityOf(latest())?.at(-1)).toEqual([]);
      });

      const spelled = [requireHeader, ...spellings.map((spell) => spell(requireHeader))];

      it.each([...new Set(spelled)])('is the same whatever a client sends: %s', async (name) => {
        for (const value of ['', ' ', 'other', ',', 'documents.read,', '*', 'A B']) {
          await refused([[name, value], ...without()]);
          await refused([...without(), [name, value], [name, value]]);
        }
        expect((await call([[name, 'other'], ...having()], { target: '/documents/1' })).status).toBe(200);
        expect((await call([[name, 'other'], ...without()])).status).toBe(200);
      });

      it.each<[string, Headers]>([
        ['in one line', [['Connection', `close, ${requireHeader}`]]],
        ['in small letters', [['Connection', 'close, x-keyward-require']]],
        ['with another spelling', [['Connection', 'X_Keyward_Require']]],
        [
          'beside one of its own',
          [
            ['Connection', requireHeader],
            [requireHeader, 'other'],
          ],
        ],
        ['with the address', [['Connection', `${requireHeader}, X-Forwarded-For`]]],
      ])('is asked for even if Connection names it: %s', async (_how, headers) => {
        await refused([...headers, ...without()]);
        await refused([...without(), ...headers]);
        expect((await call([...headers, ...having()], { target: '/documents/1' })).status).toBe(200);
      });
    });

    describe('an address', () => {
      const statusFrom = async (from: string, headers: Headers = []) =>
        (await call([...byApiKey(running.bound), ...headers], { from })).status;

      it("that a key is for is the client's, and not the proxy's", async () => {
        expect(await statusFrom('127.0.0.2')).toBe(200);
        expect(await countPassed(async () => expect(await statusFrom('127.0.0.3')).toBe(403))).toBe(0);
      });

      it('tries as many keys that are not good as it may, and stops no other address and no good key', async () => {
        const { secret } = running.keys.alice;
        expect((await call(byApiKey(secret))).status).toBe(200);
        const guess = (from: string) => call(byApiKey(createApiKeySecret()), { from });
        const passed = await countPassed(async () => {
          for (let sent = 0; sent < guesses; sent += 1) expect((await guess('127.0.0.5')).status).toBe(401);
          const refused = await guess('127.0.0.5');
          expect([refused.status, refused.headers['retry-after']]).toEqual([
            429,
            expect.stringMatching(/^\d+$/),
          ]);
          expect((await guess('127.0.0.6')).status).toBe(401);
        });
        expect(passed).toBe(0);
        expect((await call(byApiKey(secret), { from: '127.0.0.5' })).status).toBe(200);
      });

      it.each<[string, Headers]>([
        ['X-Forwarded-For', [['X-Forwarded-For', '127.0.0.2']]],
        ['X_Forwarded_For', [['X_Forwarded_For', '127.0.0.2']]],
        [
          'a list, twice',
          [
            ['X-Forwarded-For', '127.0.0.2, 127.0.0.2'],
            ['x-forwarded-for', '127.0.0.2'],
          ],
        ],
        ['Forwarded', [['Forwarded', 'for=127.0.0.2']]],
        ['X-Real-IP', [['X-Real-IP', '127.0.0.2']]],
        [
          'Connection',
          [
            ['Connection', 'X-Forwarded-For'],
            ['X-Forwarded-For', '127.0.0.2'],
          ],
        ],
      ])('is not what a client says that it is: %s', async (_how, headers) => {
        const passed = await countPassed(async () => {
          expect(await statusFrom('127.0.0.3', headers)).toBe(403);
          expect(await statusFrom('127.0.0.1', headers)).toBe(403);
        });
        expect(passed).toBe(0);
        expect(await statusFrom('127.0.0.2', headers)).toBe(200);
      });
    });

    describe('a refusal', () => {
      it('says why in a problem document, with the permissions that are missing', async () => {
        const wanted = { method: 'POST', target: '/documents/1' };
        const problem = problemOf(await call(byApiKey(running.reader), wanted));
        expect(problem).toMatchObject({
          status: 403,
          detail: 'The API key needs the permissions: documents.write',
          reason: 'insufficient_permissions',
        });
        expect(problemOf(await call([]))).toMatchObject({ status: 401, reason: 'no_api_key' });
        const wrong = problemOf(await call(byApiKey('x')));
        expect(wrong).toMatchObject({ status: 401, reason: 'invalid_api_key' });
        const elsewhere = problemOf(await call(byApiKey(running.bound), { from: '127.0.0.3' }));
        expect(elsewhere).toMatchObject({ status: 403, reason: 'address_not_allowed' });
        expect(problemOf(await call([], { target: '//documents' }))).toMatchObject({ status: 400 });
      });

      it('does not show the header that has the same body', async () => {
        const { headers } = await call([]);
        expect(Object.keys(headers).filter((name) => name.startsWith('x-keyward'))).toEqual([]);
      });
    });

    describe('the id of a request', () => {
      const idOf = ({ headers }: { readonly headers: IncomingHttpHeaders }) => `${headers['x-request-id']}`;
      const inKeyward = (id: string) =>
        running.service.output.stdout
          .split('\n')
          .filter((line) => line.includes(id))
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find(({ msg }) => msg === 'request');
      /** Logs are written a little later. */
      const inTime = { timeout: 20_000 };
      const inAccessLog = (id: string) => running.accessLines().find(({ requestId }) => requestId === id);

      it('is the same for the client, the API, the log of Keyward and the access log', async () => {
        const { secret, id, identity } = running.keys.bob;
        const requestId = idOf(await call(byApiKey(secret)));
        expect(requestId).toMatch(/^[\da-f-]{32,36}$/);
        expect(latest() && readLikeCgi(latest() as Received, requestIdHeader)).toEqual([requestId]);
        const user = `${identity[0]}`;
        await expect.poll(() => inKeyward(requestId), inTime).toMatchObject({ status: 200, keyId: id });
        await expect
          .poll(() => inAccessLog(requestId), inTime)
          .toEqual({ requestId, status: 200, user, key: `${id}` });
        expect(idOf(await call(byApiKey(secret)))).not.toBe(requestId);
      });

      it('leads from a refusal to the key and the reason', async () => {
        const { secret, id } = await running.createKey('alice');
        await running.revoke('alice', id);
        const forged = [userHeader, keyHeader].map((name) => [name, '1'] as const);
        const requestId = idOf(await call([...byBearer(secret), ...forged]));
        await expect
          .poll(() => inKeyward(requestId), inTime)
          .toMatchObject({ status: 401, keyId: id, accountId: 1, reason: 'api-key-inactive' });
        await expect
          .poll(() => inAccessLog(requestId), inTime)
          .toEqual({ requestId, status: 401, user: '', key: '' });
      });

      it.each<[string, Headers]>([
        ['alone', []],
        ['with Connection', [['Connection', requestIdHeader]]],
        ...spellings
          .slice(1)
          .map(
            (spell) =>
              [spell(requestIdHeader), [[spell(requestIdHeader), 'chosen-by-a-client']]] as [string, Headers],
          ),
      ])('is never the one that a client sends: %s', async (_how, more) => {
        const { secret, id } = running.keys.bob;
        const chosen = [[requestIdHeader, 'chosen-by-a-client'], ...more] as const;
        for (const headers of [byApiKey(secret), []]) {
          const requestId = idOf(await call([...chosen, ...headers]));
          expect(requestId).toMatch(/^[\da-f-]{32,36}$/);
          await expect.poll(() => inKeyward(requestId), inTime).toBeDefined();
        }
        expect(latest() && readLikeCgi(latest() as Received, keyHeader)).toEqual([`${id}`]);
        expect(latest() && readLikeCgi(latest() as Received, requestIdHeader)).not.toContain(
          'chosen-by-a-client',
        );
        expect(running.service.output.stdout).not.toContain('chosen-by-a-client');
      });

      it('comes with every refusal of the proxy itself', async () => {
        expect(idOf(await call([], { target: '//documents' }))).toMatch(/^[\da-f-]{32,36}$/);
      });
    });

    describe('an upgrade', () => {
      const asking = (connection: string, ...protocols: string[]): Headers => [
        ['Connection', connection],
        ...protocols.map((protocol) => ['Upgrade', protocol] as const),
      ];
      const ask = (headers: Headers, method = 'GET') =>
        upgrade(running.url, { method, target: '/socket', headers });

      it.each([
        ['Upgrade', 'websocket'],
        ['keep-alive, Upgrade', 'WebSocket'],
        [`Upgrade, ${userHeader}, ${keyHeader}, ${assertionHeader}`, 'websocket'],
      ])('to a WebSocket passes with a key: Connection: %s', async (connection, protocol) => {
        const key = running.keys.bob;
        const { status, socket } = await ask([...byBearer(key.secret), ...asking(connection, protocol)]);
        expect(status).toBe(101);
        await expectToldOf(latest(), key);
        socket?.write('through');
        expect(`${socket && (await once(socket, 'data'))[0]}`).toBe('through');
        socket?.destroy();
      });

      it('to a WebSocket is refused without a key', async () => {
        const passed = await countPassed(async () =>
          expect((await ask(asking('Upgrade', 'websocket'))).status).toBe(401),
        );
        expect(passed).toBe(0);
      });

      it.each([
        ['h2c', ['h2c']],
        ['h2c before websocket', ['h2c', 'websocket']],
        ['h2c and websocket in one', ['h2c, websocket']],
        ['websocket and h2c in one', ['websocket, h2c']],
      ])('to anything else does not reach the API, which would tunnel: %s', async (_what, protocols) => {
        const { secret } = running.keys.bob;
        const { status, socket } = await ask([
          ...byBearer(secret),
          ...asking('Upgrade, HTTP2-Settings', ...protocols),
          ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
        ]);
        socket?.destroy();
        expect(status).toBeOneOf([101, 200]);
        const received = latest();
        expect(received && readLikeCgi(received, 'Upgrade').join()).not.toMatch(/h2c/i);
      });
    });

    it.each(['/events', '/events/until-close'])(
      'hands an event on as soon as it is there: %s',
      async (target) => {
        const { secret } = running.keys.alice;
        const { status, pieces } = await stream(running.url, { target, headers: byApiKey(secret) });
        expect(status).toBe(200);
        expect(await pieces.next()).toEqual({ done: false, value: 'data: first\n\n' });
        running.api.endEvents();
        expect(await pieces.next()).toEqual({ done: false, value: 'data: second\n\n' });
        expect(await pieces.next()).toMatchObject({ done: true });
      },
    );

    describe('a preflight', () => {
      const asking: Headers = [
        ['Origin', 'https://page.example'],
        ['Access-Control-Request-Method', 'PUT'],
      ];

      it("is the API's to answer, which is told of nobody", async () => {
        const forged = told.flatMap((name) => spellings.map((spell) => [spell(name), '1'] as const));
        const answer = await call([...asking, ...forged], { method: 'OPTIONS' });
        expect(answer.status).toBe(204);
        expect(answer.headers['access-control-allow-origin']).toBe('https://page.example');
        expect(latest()).toMatchObject({ method: 'OPTIONS', target: '/v1/things' });
        expect(told.map((name) => valuesOf(latest(), name))).toEqual(told.map(() => []));
      });

      it('does not upgrade', async () => {
        const headers: Headers = [...asking, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']];
        const { status } = await upgrade(running.url, { method: 'OPTIONS', headers });
        expect(status).toBe(204);
      });

      it.each<[string, string, Headers]>([
        ['OPTIONS that asks for no method', 'OPTIONS', asking.slice(0, 1)],
        ['another method with its headers', 'GET', asking],
        ['another method with its headers and a body', 'POST', asking],
      ])('is nothing else: %s', async (_what, method, headers) => {
        const body = method === 'POST' ? { body: 'x' } : {};
        const passed = await countPassed(async () =>
          expect((await call(headers, { method, ...body })).status).toBe(401),
        );
        expect(passed).toBe(0);
      });
    });

    it('asks Keyward once for each request', async () => {
      await using folder = await createTemporaryFolder();
      using keyward = await startProxiedApi();
      const { url } = stack.use(
        await proxy.start(folder.path, { keyward: keyward.port, api: running.api.port }),
      );
      for (const target of ['/v1/things', '/documents/1', '/documents']) {
        const before = keyward.received.length;
        await send(url, { target });
        expect([target, keyward.received.length]).toEqual([target, before + 1]);
      }
    });

    describe('for an API with bearer tokens of its own', () => {
      const keyHeader = 'Acme-Key';
      const token = 'Bearer a-token-of-the-api';
      const own = new AsyncDisposableStack();
      let front: { readonly url: string };
      let good: string;
      let reader: string;

      beforeAll(async () => {
        const folder = own.use(await createTemporaryFolder());
        const { service, key, others } = own.use(
          await startKeyService(folder.path, { API_KEY_HEADER: keyHeader }, [
            { permissions: '["documents.read"]' },
          ]),
        );
        [good, reader] = [key.secret, others[0]?.secret ?? ''];
        front = own.use(
          await proxy.start(folder.path, { keyward: service.port, api: running.api.port, keyHeader }),
        );
      }, 30_000);
      afterAll(() => own.disposeAsync());

      const ask = (headers: Headers, target = '/v1/things') => send(front.url, { target, headers });

      it('the key comes in its header, and Authorization reaches the API unchanged', async () => {
        const { status } = await ask([
          ['Authorization', token],
          [keyHeader, good],
        ]);
        expect(status).toBe(200);
        const received = latest() as Received;
        expect(readLikeCgi(received, 'Authorization')).toEqual([token]);
        expect(identityOf(received)?.[0]).toEqual(['1']);
        expect(valuesOf(received, assertionHeader)).toEqual([expect.stringMatching(/^[\w-]+(\.[\w-]+){2}$/)]);
        expect(JSON.stringify(received)).not.toContain(good);
        expect((await ask([[keyHeader, reader]], '/documents/1')).status).toBe(200);
      });

      it('a key anywhere else is no key', async () => {
        const passed = await countPassed(async () => {
          for (const headers of [byBearer(good), byApiKey(good), []]) {
            const refused = await ask(headers);
            expect(refused.headers['www-authenticate']).toBe('ApiKey realm="api"');
            expect(problemOf(refused)).toMatchObject({ status: 401, reason: 'no_api_key' });
          }
          const wrong = await ask([...byBearer(good), [keyHeader, 'x']]);
          expect(problemOf(wrong)).toMatchObject({ status: 401, reason: 'invalid_api_key' });
          const lacking = await ask([...byBearer(reader), [keyHeader, good]], '/documents/1');
          expect(problemOf(lacking)).toMatchObject({ status: 403, reason: 'insufficient_permissions' });
        });
        expect(passed).toBe(0);
      });
    });

    it('the access log has no API key', () => {
      const { accessLog, keys, reader, writer, bound, wide } = running;
      const secrets = [keys.alice.secret, keys.bob.secret, reader, writer, bound, wide];
      expect(running.accessLines().length).toBeGreaterThan(100);
      expect(secrets.filter((secret) => accessLog().includes(secret.slice(-20)))).toEqual([]);
    });

    // Keyward goes on only after the answers. Without the documented limit of 5 seconds, nginx would wait for a minute.
    it('refuses while Keyward hangs, and works again after', { timeout: 40_000 }, async () => {
      const { secret } = running.keys.alice;
      running.service.signal('SIGSTOP');
      const passed = await countPassed(async () => {
        const answers = await Promise.all([call(byApiKey(secret)), call([]), call(byBearer('x'))]);
        expect(answers.map(({ status }) => status)).toEqual(Array(3).fill(proxy.hanging));
        for (const answer of answers) problemOf(answer);
      }).finally(() => running.service.signal('SIGCONT'));
      expect(passed).toBe(0);
      while ((await call(byApiKey(secret))).status !== 200) await delay(50);
    });

    it('refuses while Keyward is down', async () => {
      const { secret } = running.keys.alice;
      running.service.signal('SIGTERM');
      await running.service.ended;
      const passed = await countPassed(async () => {
        const refused = await call(byApiKey(secret));
        expect(problemOf(refused)).toMatchObject({ status: proxy.down });
        expect(refused.headers['x-request-id']).toMatch(/^[\da-f-]{32,36}$/);
        expect((await call([])).status).toBe(proxy.down);
      });
      expect(passed).toBe(0);
    });
  });
}
