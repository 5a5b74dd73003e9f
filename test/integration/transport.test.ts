import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pino } from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { createListener } from '../../src/http/listener.ts';
import { createHttpServer, listen, stop } from '../../src/http/server.ts';
import { challenge } from '../support/challenge.ts';
import { dropDatabase, dropTable, setReadOnly } from '../support/database.ts';
import { type Answer, type Call, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const postgres = inject('postgresUrl') !== undefined;
const setup = setUpGateway();

const { http } = loadConfig({});
const logger = pino({ level: 'silent' });

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const statusQuery = '{ privateKeyStatus { hasKey } }';
const deactivation = 'mutation { deactivateApiKey(keyId: 1) { id } }';
const update = 'mutation { updateAutomationSettings(isEnabled: true) { userId } }';

const fail = (error: unknown): never => {
  throw error;
};

/** Something of alice's in every table. */
const createRows = async (gateway: TestGateway = setup.gateway) => {
  const alice = await gateway.createAccount('alice');
  await gateway.createApiKey(alice);
  await gateway.createPrivateKey(alice);
};

/** Each operation on both transports. */
const operations: [string, (gateway: TestGateway, token: string) => Promise<Answer>][] = [
  ['DELETE', (gateway, token) => gateway.rest('DELETE', '/auth/keys/1', { token })],
  ['GET', (gateway, token) => gateway.rest('GET', '/auth/private-key', { token })],
  [
    'PUT',
    (gateway, token) => gateway.rest('PUT', '/automation/settings', { token, json: { is_enabled: true } }),
  ],
  ['deactivateApiKey', (gateway, token) => gateway.graphql(deactivation, { token })],
  ['privateKeyStatus', (gateway, token) => gateway.graphql(statusQuery, { token })],
  ['updateAutomationSettings', (gateway, token) => gateway.graphql(update, { token })],
];

/** What an answer says of a failure, whichever transport it came by. */
const failureOf = ({ body }: Answer) =>
  'detail' in body ? body.detail : [body.errors[0].message, body.errors[0].extensions];

describe('an unknown path', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

  it.each([
    '/',
    '/health',
    '/healthz',
    '/zzz?y=/graphql',
    '/zzz?y=/api/v1/auth/keys/1',
    '/foo/graphql',
    '/graphql/',
    '/graphql/health',
    '//graphql',
    '/GraphQL',
    '/graphql%2F',
    '/api/v1',
    '/api/v1?x=/graphql',
    '/api/v1/',
    '/api/v1/graphql',
    '/api/v1/health',
    '/api/v1/auth',
    '/api/v1/auth/keys/',
    '/api/v1/auth/keys/1/',
    '/api/v1/auth/keys/1/health',
    '/api/v1/auth/keys/1/graphql',
    '/api/v1/auth/private-key/',
    '/api/v1/auth/private-key/graphql',
    '/api/v1/automation/settings/',
    '/api/v1/automation/settings/1',
    '/api/v1//auth/keys/1',
    '/api/v1/auth//keys/1',
    '//api/v1/auth/keys/1',
    '/x/api/v1/auth/keys/1',
    '/api/v1/auth%2Fkeys/1',
    '/api/v1/auth/keys%2F1',
    '/api/v1/auth/key%73/1',
    '/API/v1/auth/keys/1',
    '/api/v1/Auth/Keys/1',
    '/api/v2/auth/keys/1',
    '/api/v1/auth/keys/../1',
    '/api/v1/auth/keys/1/..',
    '/api/v1/auth/keys/1/%2e%2e',
    '/api/v1/openapi.json/',
    '/api/v1/openapi-json',
    '/webhook',
    '/webhook/1',
    '/api/v1/webhook',
    '/api/v1/webhook/',
    '/api/v1/webhook/1',
  ])('%s → 404 for each method, and nothing changes', async (path) => {
    await createRows();
    const before = await setup.stored();
    const token = await setup.sign();
    for (const method of methods) {
      const answer = await setup.gateway.fetch(method, path, {
        token,
        ...(['POST', 'PUT', 'PATCH'].includes(method) && {
          json: { query: deactivation, is_enabled: true },
        }),
      });
      expect([method, answer.status]).toEqual([method, 404]);
      expect(answer.text).toBe(method === 'HEAD' ? '' : '{"detail":"Not Found"}');
    }
    expect(await setup.stored()).toEqual(before);
  });
});

describe('a path that resembles another', () => {
  it('an invalid id → 422, or 401 without a token', async () => {
    await createRows();
    const answer = await setup.gateway.rest('DELETE', '/auth/keys/health', { token: await setup.sign() });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['path', 'key_id'] }] } });
    const stranger = await setup.gateway.rest('DELETE', '/auth/keys/health');
    expect(stranger.status).toBe(401);
  });

  it.each(['x=/health', 'x=/graphql', '/graphql', 'x=/api/v1/auth/keys/1'])(
    'the query string %s → ignored',
    async (search) => {
      await createRows();
      const token = await setup.sign();
      const missing = await setup.gateway.rest('DELETE', `/auth/keys/5?${search}`, { token });
      expect(missing).toMatchObject({ status: 404, text: '{"detail":"API key not found"}' });
      expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 1 }]);
      const own = await setup.gateway.rest('DELETE', `/auth/keys/1?${search}`, { token });
      expect(own).toMatchObject({ status: 200, body: { id: 1, is_active: false } });
    },
  );
});

describe('the length of a body', () => {
  it('HEAD → the Content-Length of GET, 304 → no Content-Length', async () => {
    await createRows();
    const server = createHttpServer(createListener(setup.gateway.gateway, http.body, fail), http, logger);
    try {
      const port = await listen(server, 0, '127.0.0.1');
      const authorization = `Bearer ${await setup.sign()}`;
      const ask = async (method: string, headers: Record<string, string> = {}) => {
        const url = `http://127.0.0.1:${port}/api/v1/auth/keys/1`;
        const answer = await fetch(url, { method, headers: { authorization, ...headers } });
        return { answer, text: await answer.text(), length: answer.headers.get('content-length') };
      };
      const get = await ask('GET');
      expect(get.length).toBe(`${Buffer.byteLength(get.text)}`);
      expect(await ask('HEAD')).toMatchObject({ text: '', length: get.length });
      const etag = get.answer.headers.get('etag') ?? '';
      const same = await ask('GET', { 'if-none-match': etag });
      expect([same.answer.status, same.text, same.length]).toEqual([304, '', null]);
    } finally {
      await stop(server);
    }
  });
});

describe('a path on the wire', () => {
  /** A request as it is written, which a URL would have tidied up. */
  const send = (port: number, path: string, token: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, connection: 'close' };
      httpRequest({ port, host: '127.0.0.1', method: 'DELETE', path, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });

  it.each([
    '/api/v1/x/../auth/keys/1',
    '/api/v1/x/%2e%2e/auth/keys/1',
    '/api/v1/./auth/keys/1',
    '/api/v1/auth/%2E/keys/1',
    '/../api/v1/auth/keys/1',
    '/api/v1/x/..%2fauth/keys/1',
    '/api/v1/x%2F%2e%2E%2Fauth/keys/1',
    '/api/v1/x/..%5cauth/keys/1',
    '/api/v1/auth\\keys\\1',
    '/api/v1/auth/keys/1#/health',
    '//api/v1/auth/keys/1',
    'http://keyward.test/api/v1/x/../auth/keys/1',
    'http:/api/v1/auth/keys/1',
    '*',
  ])('%s → 400 or 404, because it is not normalised', async (path) => {
    await createRows();
    const server = createHttpServer(createListener(setup.gateway.gateway, http.body, fail), http, logger);
    try {
      const port = await listen(server, 0, '127.0.0.1');
      const token = await setup.sign();
      expect([400, 404]).toContain(await send(port, path, token));
      expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 1 }]);
      expect(await send(port, '/api/v1/auth/keys/1?x=/../y\\z', token)).toBe(200);
    } finally {
      await stop(server);
    }
  });
});

describe('a request that cannot be answered', () => {
  const ask = (port: number, host: string) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest({ port, path: '/api/v1/auth/private-key', headers: { host } }, (response) =>
        resolve(response.resume().statusCode ?? 0),
      );
      request.on('error', reject).end();
    });

  it.each(['a:99999', '999.999.999.999', '[::1]:70000'])('an invalid Host → 400: %s', async (host) => {
    const server = createHttpServer(createListener(setup.gateway.gateway, http.body, fail), http, logger);
    try {
      expect(await ask(await listen(server, 0, '127.0.0.1'), host)).toBe(400);
    } finally {
      await stop(server);
    }
  });

  it('the handler fails → 500, and the failure is reported', async () => {
    const failures: unknown[] = [];
    const broken = {
      ...setup.gateway.gateway,
      answer: () => Promise.reject('x'),
    };
    const server = createHttpServer(
      createListener(broken, http.body, (error) => failures.push(error)),
      http,
      logger,
    );
    try {
      expect(await ask(await listen(server, 0, '127.0.0.1'), 'a')).toBe(500);
      expect(failures).toEqual(['x']);
    } finally {
      await stop(server);
    }
  });
});

describe('405', () => {
  it.each([
    ['/api/v1/auth/keys/1', 'DELETE, GET, HEAD, PATCH', ['POST', 'PUT', 'OPTIONS']],
    ['/api/v1/auth/keys/abc', 'DELETE, GET, HEAD, PATCH', ['PUT']],
    ['/api/v1/auth/private-key', 'DELETE, GET, HEAD, POST', ['PUT', 'PATCH', 'OPTIONS']],
    ['/api/v1/automation/settings', 'GET, HEAD, PUT', ['POST', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/v1/openapi.json', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/graphql', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ])('%s → Allow: %s', async (path, allow, methods) => {
    await createRows();
    const before = await setup.stored();
    for (const call of [{ token: await setup.sign() }, {}]) {
      for (const method of methods) {
        const answer = await setup.gateway.fetch(method, path, call);
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
      }
    }
    expect(await setup.stored()).toEqual(before);
  });

  it('has an error body in the format of REST or GraphQL', async () => {
    const rest = await setup.gateway.rest('POST', '/automation/settings');
    expect(rest.text).toBe('{"detail":"Method Not Allowed"}');
    const graphql = await setup.gateway.fetch('PUT', '/graphql');
    expect(graphql.body).toEqual({
      errors: [{ message: 'Method Not Allowed', extensions: { code: 'METHOD_NOT_ALLOWED' } }],
    });
  });

  it.each(['GET', 'HEAD'])('a mutation by %s → 405, and nothing changes', async (method) => {
    await createRows();
    const before = await setup.stored();
    const path = `/graphql?query=${encodeURIComponent(deactivation)}`;
    const answer = await setup.gateway.fetch(method, path, { token: await setup.sign() });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(await setup.stored()).toEqual(before);
  });
});

describe('413', () => {
  const limit = 64 * 1024;

  /** Sends a body over HTTP in pieces of 16 KiB, for as long as it is read, without saying how long it is. */
  const stream = async (method: string, path: string, headers: Headers, bytes: number): Promise<Response> => {
    const pieces = function* () {
      for (let left = bytes; left > 0; left -= 16 * 1024) yield Buffer.alloc(Math.min(left, 16 * 1024), ' ');
    };
    const server = createHttpServer(createListener(setup.gateway.gateway, http.body, fail), http, logger);
    const port = await listen(server, 0, '127.0.0.1');
    const abort = new AbortController();
    try {
      const { signal } = abort;
      const request = httpRequest({
        port,
        method,
        path,
        headers: { ...Object.fromEntries(headers), 'transfer-encoding': 'chunked' },
        signal,
      });
      const sent = pipeline(Readable.from(pieces()), request).catch(() => {});
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const answer = new Response(await text(response), { status: response.statusCode ?? 0 });
      abort.abort();
      await sent;
      return answer;
    } finally {
      server.closeAllConnections();
      await stop(server);
    }
  };

  const targets: [string, string][] = [
    ['PUT', '/api/v1/automation/settings'],
    ['DELETE', '/api/v1/auth/keys/1'],
    ['POST', '/graphql'],
  ];
  const callers = ['with a token', 'without a token', 'with a bad token'];
  const cases = targets.flatMap(([method, path]) => callers.map((caller) => [method, path, caller] as const));

  const headersOf = async (caller: string) => {
    const token = caller === 'with a token' ? await setup.sign() : 'a.b.c';
    const headers = new Headers({ 'content-type': 'application/json' });
    if (caller !== 'without a token') headers.set('authorization', `Bearer ${token}`);
    return headers;
  };

  const expectRefusal = async (response: Response) => {
    expect(response.status).toBe(413);
    const message = 'The body is larger than 65536 bytes';
    const body = await response.json();
    expect('detail' in body ? body.detail : body.errors).toEqual(
      'detail' in body ? message : [{ message, extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
    );
  };

  it.each(cases)('a declared length above the limit: %s %s %s', async (method, path, caller) => {
    await createRows();
    const headers = await headersOf(caller);
    headers.set('content-length', `${limit + 1}`);
    const request = new Request(`http://keyward.test${path}`, { method, headers, body: '{}' });
    await expectRefusal(await setup.gateway.gateway.fetch(request));
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 1 }]);
  });

  it.each(cases)('a stream above the limit: %s %s %s', async (method, path, caller) => {
    await createRows();
    await expectRefusal(await stream(method, path, await headersOf(caller), limit + 1));
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: 1 }]);
  });

  it('an endless stream is not read to its end', async () => {
    const headers = await headersOf('with a token');
    await expectRefusal(await stream('PUT', '/api/v1/automation/settings', headers, Number.MAX_SAFE_INTEGER));
  });

  it.each(targets)('comes before all other errors: %s %s', async (method, path) => {
    const headers = { 'content-type': 'text/plain', 'content-length': `${limit + 1}` };
    const token = await setup.sign({ scope: '' });
    const answer = await setup.gateway.fetch(method, path, { token, headers, body: 'x' });
    expect(answer.status).toBe(413);
  });

  it.each([
    ['a declared length', true],
    ['no declared length', false],
  ])('exactly 64 KiB → accepted, one byte more → 413, with %s', async (_name, declared) => {
    const token = await setup.sign();
    const send = (method: string, path: string, json: object, length: number) => {
      const headers = {
        'content-type': 'application/json',
        ...(declared && { 'content-length': `${length}` }),
      };
      return setup.gateway.fetch(method, path, {
        token,
        headers,
        body: JSON.stringify(json).padEnd(length),
      });
    };
    const settings = { session_duration: 3600 };
    expect(await send('PUT', '/api/v1/automation/settings', settings, limit)).toMatchObject({
      status: 200,
      body: settings,
    });
    expect(await send('POST', '/graphql', { query: statusQuery }, limit)).toMatchObject({
      status: 200,
      body: { data: { privateKeyStatus: { hasKey: false } } },
    });
    expect((await send('PUT', '/api/v1/automation/settings', settings, limit + 1)).status).toBe(413);
    expect((await send('POST', '/graphql', { query: statusQuery }, limit + 1)).status).toBe(413);
  });

  it('counts bytes, not characters', async () => {
    const body = JSON.stringify({ padding: 'ü'.repeat(limit / 2) });
    expect(body.length).toBeLessThan(limit);
    const headers = { 'content-type': 'application/json' };
    const token = await setup.sign();
    const answer = await setup.gateway.rest('PUT', '/automation/settings', { token, headers, body });
    expect(answer.status).toBe(413);
  });
});

describe('the headers of every answer', () => {
  const calls: [number, string, string, object][] = [
    [200, 'GET', '/api/v1/auth/private-key', {}],
    [200, 'HEAD', '/api/v1/auth/private-key', {}],
    [200, 'DELETE', '/api/v1/auth/keys/1', {}],
    [200, 'PUT', '/api/v1/automation/settings', { json: {} }],
    [200, 'GET', '/api/v1/openapi.json', {}],
    [200, 'POST', '/graphql', { json: { query: statusQuery } }],
    [
      400,
      'POST',
      '/graphql',
      { json: { query: '{' }, headers: { accept: 'application/graphql-response+json' } },
    ],
    [401, 'GET', '/api/v1/auth/private-key', { token: 'a.b.c' }],
    [401, 'POST', '/graphql', { token: 'a.b.c', json: { query: statusQuery } }],
    [404, 'GET', '/nowhere', {}],
    [404, 'DELETE', '/api/v1/auth/keys/9', {}],
    [405, 'PUT', '/api/v1/auth/private-key', {}],
    [405, 'PUT', '/graphql', {}],
    [413, 'PUT', '/api/v1/automation/settings', { headers: { 'content-length': '99999' }, json: {} }],
    [415, 'PUT', '/api/v1/automation/settings', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
    [415, 'POST', '/graphql', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
    [422, 'PUT', '/api/v1/automation/settings', { json: [] }],
  ];

  it.each(calls)('%i: %s %s', async (status, method, path, call) => {
    await createRows();
    const answer = await setup.gateway.fetch(method, path, { token: await setup.sign(), ...call });
    expect(answer.status).toBe(status);
    const { headers } = answer;
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // A header that was set twice would read as a list.
    expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json(; charset=utf-8)?$/);
    expect(headers.get('x-request-id')).toMatch(uuid);
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.has('server')).toBe(false);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it.each(['/api/v1/auth/private-key', '/graphql', '/nowhere', '/api/v1/openapi.json'])(
    'allow no foreign origin: %s',
    async (path) => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await setup.gateway.fetch(method, path, { token: await setup.sign(), headers });
        const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect(names).toEqual([]);
      }
    },
  );
});

describe('X-Request-Id', () => {
  const idOf = async (given: string, path: string) => {
    const answer = await setup.gateway.fetch('GET', path, { headers: { 'x-request-id': given } });
    return answer.headers.get('x-request-id');
  };

  it.each(['12345678', 'a-b_c.D9', '4bf92f3577b34da6a3ce929d0e0e4736', 'x'.repeat(64)])(
    'a valid id is kept: %s',
    async (given) => {
      for (const path of ['/api/v1/auth/private-key', '/graphql', '/nowhere']) {
        expect(await idOf(given, path)).toBe(given);
      }
      expect(setup.gateway.log().map(({ requestId }) => requestId)).toEqual([given, given, given]);
    },
  );

  it.each([
    '',
    'short',
    'x'.repeat(65),
    'with a space',
    'caf\u00e9-latin',
    'a;b;c;d;e',
    '{"x":"12345"}',
    '../../../x',
  ])('an invalid id is replaced: %s', async (given) => {
    const id = await idOf(given, '/api/v1/auth/private-key');
    expect(id).toMatch(uuid);
    expect(setup.gateway.log()).toMatchObject([{ requestId: id }]);
  });
});

describe('a token outside the Authorization header', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const search = encodeURIComponent(statusQuery);

  it.each<[string, string, string, (token: string) => { query?: string; call?: Call }]>([
    ['a query string', 'GET', '/api/v1/auth/private-key', (token) => ({ query: `access_token=${token}` })],
    ['a query string', 'DELETE', '/api/v1/auth/keys/1', (token) => ({ query: `access_token=${token}` })],
    ['a query string', 'GET', '/graphql', (token) => ({ query: `access_token=${token}&query=${search}` })],
    [
      'a query string',
      'POST',
      '/graphql',
      (token) => ({ query: `access_token=${token}`, call: { json: { query: deactivation } } }),
    ],
    [
      'a body',
      'PUT',
      '/api/v1/automation/settings',
      (token) => ({ call: { json: { access_token: token, is_enabled: true } } }),
    ],
    [
      'a form',
      'PUT',
      '/api/v1/automation/settings',
      (token) => ({ call: { headers: form, body: `access_token=${token}` } }),
    ],
    ['a form', 'POST', '/graphql', (token) => ({ call: { headers: form, body: `access_token=${token}` } })],
    [
      'a body',
      'POST',
      '/graphql',
      (token) => ({ call: { json: { query: deactivation, access_token: token } } }),
    ],
    [
      'variables',
      'POST',
      '/graphql',
      (token) => ({ call: { json: { query: deactivation, variables: { access_token: token } } } }),
    ],
    [
      'extensions',
      'POST',
      '/graphql',
      (token) => ({
        call: { json: { query: deactivation, extensions: { authorization: `Bearer ${token}` } } },
      }),
    ],
    [
      'a cookie',
      'GET',
      '/api/v1/auth/private-key',
      (token) => ({ call: { headers: { cookie: `access_token=${token}` } } }),
    ],
    [
      'another header',
      'GET',
      '/api/v1/auth/private-key',
      (token) => ({ call: { headers: { 'x-access-token': token } } }),
    ],
  ])('is not accepted from %s: %s %s', async (_place, method, path, write) => {
    await createRows();
    const before = await setup.stored();
    const { query, call } = write(await setup.sign());
    const answer = await setup.gateway.fetch(method, query === undefined ? path : `${path}?${query}`, call);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('Not authenticated');
    expect(answer.headers.get('www-authenticate')).toBe(challenge());
    expect(await setup.stored()).toEqual(before);
  });
});

describe('a request without a token', () => {
  it.each([
    '{',
    '',
    '5',
    'null',
    '[]',
    '[{"query":"{ privateKeyStatus { hasKey } }"}]',
    '{}',
    '{"query":5}',
    '{"query":"{"}',
    '{"query":"{ nothing }"}',
    '{"query":"{ privateKeyStatus { hasKey } }","variables":"x"}',
    '{"query":"{ privateKeyStatus { hasKey } }","operationName":"Other"}',
    '{"query":"{ privateKeyStatus { hasKey } }","operationName":5}',
    '{"query":"{ privateKeyStatus { hasKey } }","extensions":5}',
    '{"query":"{ privateKeyStatus { hasKey } }","unknown":5}',
  ])('gets 401 over GraphQL, whatever else is wrong: %s', async (body) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await setup.gateway.fetch('POST', '/graphql', { headers, body });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      errors: [{ message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });
});

const tableOf: Record<string, string> = {
  DELETE: 'api_key',
  GET: 'private_key',
  PUT: 'automation_settings',
  deactivateApiKey: 'api_key',
  privateKeyStatus: 'private_key',
  updateAutomationSettings: 'automation_settings',
};

describe('500', () => {
  it.each(operations)('an unexpected failure → no details in the answer: %s', async (name, call) => {
    await createRows();
    await dropTable(setup.gateway.database, `${tableOf[name]}`);
    const answer = await call(setup.gateway, await setup.sign());
    expect(answer.status).toBe(500);
    expect(failureOf(answer)).toEqual(
      'detail' in answer.body
        ? 'Internal Server Error'
        : ['Internal Server Error', { code: 'INTERNAL_SERVER_ERROR' }],
    );
    expect(answer.text).not.toMatch(
      /sqlite|postgres|select|update |no such table|relation|exception|node_modules|\.[jt]s|\bat /i,
    );
    expect(answer.headers.has('retry-after')).toBe(false);
    const requestId = answer.headers.get('x-request-id');
    const failures = setup.gateway.log().filter(({ level }) => level === 50);
    expect(failures).toMatchObject([{ requestId, error: { type: 'TableNotFoundException' } }]);
  });

  it('also if the client accepts plain application/json', async () => {
    await createRows();
    await dropTable(setup.gateway.database, 'api_key');
    const headers = { accept: 'application/json' };
    const answer = await setup.gateway.graphql(deactivation, { token: await setup.sign(), headers });
    expect(answer.status).toBe(500);
  });
});

describe('503', () => {
  const expectUnavailable = (answer: Answer) => {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(failureOf(answer)).toEqual(
      'detail' in answer.body
        ? 'Service Unavailable'
        : ['Service Unavailable', { code: 'SERVICE_UNAVAILABLE' }],
    );
  };

  const writing = operations.filter(([name]) => !['GET', 'privateKeyStatus'].includes(name));

  it.each(writing)('while the database is read-only, reads still work: %s', async (_name, call) => {
    await createRows();
    const { database } = setup.gateway;
    const token = await setup.sign();
    await setReadOnly(database, true);
    expectUnavailable(await call(setup.gateway, token));
    expect((await setup.gateway.rest('GET', '/auth/private-key', { token })).status).toBe(200);
    expect(setup.gateway.log()).toContainEqual(expect.objectContaining({ level: 50, reason: 'database' }));
    await setReadOnly(database, false);
    expect((await call(setup.gateway, token)).status).toBe(200);
  });

  it.each(operations)('if the database cannot be opened: %s', async (_name, call) => {
    await using folder = await createTemporaryFolder();
    const databaseFile = join(folder.path, 'keyward.db');
    const databaseUrl = postgres ? {} : { databaseUrl: `sqlite:${databaseFile}` };
    await using gateway = await createTestGateway(setup.issuer, databaseUrl);
    await createRows(gateway);
    if (postgres) {
      await dropDatabase(gateway.database);
    } else {
      await gateway.database.close();
      rmSync(databaseFile);
      mkdirSync(databaseFile);
    }
    expectUnavailable(await call(gateway, await setup.sign()));
    expect(gateway.log()).toContainEqual(expect.objectContaining({ level: 50, reason: 'database' }));
  });

  it.each(operations)('if the issuer publishes no keys: %s', async (_name, call) => {
    await using issuer = await startIssuer();
    issuer.published.keys = [];
    await using gateway = await createTestGateway(issuer);
    expectUnavailable(await call(gateway, await issuer.sign()));
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ reason: 'no-verification-keys', status: 503 }),
    );
    // The failed read has an error of its own; the refused requests are its consequence.
    expect(gateway.log().map(({ level }) => level)).toEqual([40, 30]);
  });

  it.each(operations)('if the issuer is down: %s', async (_name, call) => {
    const issuer = await startIssuer();
    await using gateway = await createTestGateway(issuer);
    await issuer[Symbol.asyncDispose]();
    expectUnavailable(await call(gateway, await issuer.sign()));
  });

  it('without a token, or with an invalid one → still 401', async () => {
    await using issuer = await startIssuer();
    issuer.published.keys = [];
    await using gateway = await createTestGateway(issuer);
    const calls = [{}, { token: 'a.b.c' }, { token: await issuer.sign({ aud: 'another' }) }];
    const answers = await Promise.all(calls.map((call) => gateway.rest('GET', '/auth/private-key', call)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('the log', () => {
  const requestLines = (gateway = setup.gateway) => gateway.log().filter(({ msg }) => msg === 'request');

  it.each([
    ['DELETE', '/api/v1/auth/keys/1', '/api/v1/auth/keys/{key_id}', 'deactivateApiKey', 200],
    ['DELETE', '/api/v1/auth/keys/9', '/api/v1/auth/keys/{key_id}', 'deactivateApiKey', 404],
    ['GET', '/api/v1/auth/private-key', '/api/v1/auth/private-key', 'privateKeyStatus', 200],
    ['HEAD', '/api/v1/auth/private-key', '/api/v1/auth/private-key', 'privateKeyStatus', 200],
    ['PUT', '/api/v1/automation/settings', '/api/v1/automation/settings', 'updateAutomationSettings', 200],
    ['POST', '/graphql', '/graphql', 'privateKeyStatus', 200],
  ])('has one line for %s %s', async (method, path, route, operation, status) => {
    await createRows();
    const json = { POST: { query: statusQuery }, PUT: {} }[method];
    const call = json === undefined ? {} : { json };
    const answer = await setup.gateway.fetch(method, path, { token: await setup.sign(), ...call });
    expect(answer.status).toBe(status);
    expect(requestLines()).toMatchObject([
      {
        level: 30,
        method,
        route,
        operation,
        status,
        milliseconds: expect.any(Number),
        requestId: answer.headers.get('x-request-id'),
        accountId: 1,
      },
    ]);
  });

  it('has one line for an unauthenticated request to an unknown path', async () => {
    await setup.gateway.fetch('GET', '/nowhere');
    expect(requestLines()).toMatchObject([{ method: 'GET', status: 404 }]);
    expect(requestLines()[0]).not.toHaveProperty('accountId');
    expect(requestLines()[0]).not.toHaveProperty('route');
  });

  it.each([
    ['one', `query deactivateApiKey ${statusQuery}`, 'privateKeyStatus'],
    ['one under another name', '{ deactivateApiKey: privateKeyStatus { hasKey } }', 'privateKeyStatus'],
    ['one and its type', `{ __typename ...F } fragment F on Query ${statusQuery}`, 'privateKeyStatus'],
    ['several', '{ privateKeyStatus { hasKey } automationSettings { userId } }', 'several'],
    ['none of the schema', '{ __schema { queryType { name } } }', 'introspection'],
    ['one that there is not', '{ canary7f3a }', undefined],
  ])('names the root field of a document: %s', async (_what, query, operation) => {
    await setup.gateway.graphql(query, { token: await setup.sign() });
    expect(requestLines()[0]?.['operation']).toBe(operation);
  });

  const traceId = '0af7651916cd43dd8448eb211c80319c';

  it('has the trace id of the request in each of its lines', async () => {
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const json = { is_enabled: true };
    await setup.gateway.rest('PUT', '/automation/settings', { token: await setup.sign(), json, headers });
    const lines = setup.gateway.log();
    expect(lines.map(({ msg }) => msg)).toContain('automation-settings-updated');
    expect(lines.map((line) => line['traceId'])).toEqual(lines.map(() => traceId));
  });
});
