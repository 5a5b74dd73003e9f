import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  openConnection,
  root,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let token: string;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path);
  token = await service.token('alice');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A request whose body comes in pieces, its length not told beforehand. */
const sendChunks = (method: string, path: string, chunks: readonly string[], headers = {}) =>
  new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const outgoing = request(service.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers },
    });
    outgoing.on('error', reject).on('response', async (incoming) => {
      const text = (await incoming.setEncoding('utf8').toArray()).join('');
      outgoing.destroy();
      resolve({ status: incoming.statusCode, body: JSON.parse(text) });
    });
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });

describe('200', () => {
  it('GraphQL', async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ privateKeyStatus { hasKey } }' }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: { privateKeyStatus: { hasKey: true } } });
  });

  it('REST', async () => {
    const response = await fetch(`${service.url}/api/v1/automation/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ is_enabled: true, session_duration: 3600 }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ is_enabled: true, session_duration: 3600, user_id: 1 });
  });

  it("REST with HEAD, which has the length of GET's body", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(`${service.url}/api/v1/auth/private-key`, { method, headers })),
    );
    expect(get?.headers.get('content-length')).toBe(`${(await get?.text())?.length}`);
    expect(head?.headers.get('content-length')).toBe(get?.headers.get('content-length'));
    expect(await head?.text()).toBe('');
  });

  it('REST with a body in chunks', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await sendChunks(
      'PUT',
      '/api/v1/automation/settings',
      ['{"is_en', 'abled":null}'],
      headers,
    );
    expect(answer).toMatchObject({ status: 200, body: { is_enabled: null } });
  });
});

describe('what a page loads', () => {
  /** An answer as it comes over the wire; fetch would decompress it. */
  const load = (path: string, encodings?: string) =>
    new Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
      const headers = encodings === undefined ? {} : { 'accept-encoding': encodings };
      const outgoing = request(service.url + path, { headers });
      outgoing.on('error', reject).on('response', async (incoming) => {
        resolve({ headers: incoming.headers, bytes: Buffer.concat(await incoming.toArray()) });
      });
      outgoing.end();
    });

  const scripts = globSync('assets/*.js', { cwd: join(root, 'dist/web') });
  const sizeOf = (file: string) => statSync(join(root, 'dist/web', file)).size;
  const file = scripts.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0] ?? '';
  const path = `/${file}`;
  const content = readFileSync(join(root, 'dist/web', file));

  it.each([
    ['gzip', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['deflate, GZIP;q=0.5', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['deflate, GZIP;q=0.5, Br', 'br'],
    ['gzip; q=0.0, br', 'br'],
  ] as const)('is compressed for %s: %s', async (encodings, encoding) => {
    const { headers, bytes } = await load(path, encodings);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': `${bytes.length}`,
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    expect(bytes.length).toBeLessThan(content.length / 2);
    expect({ gzip: gunzipSync, br: brotliDecompressSync }[encoding](bytes)).toEqual(content);
  });

  it.each([undefined, '', 'gzip;q=0', 'gzip; q=0.0, br;q=0', 'x-gzipped, brotli'])(
    'is as it is for %s',
    async (encodings) => {
      const { headers, bytes } = await load(path, encodings);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).toMatchObject({ 'content-length': `${content.length}`, vary: 'Accept-Encoding' });
      expect(bytes).toEqual(content);
    },
  );
});

describe('400', () => {
  const send = async (target: string, host: string) => {
    using connection = await openConnection(service);
    connection.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return await connection.until('"}');
  };

  it('is tested by the two lists below, and only there', async () => {
    expect(await send('/nowhere', 'keyward.test')).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each(['ftp://127.0.0.1/graphql', 'http://evil.test@x/api/v1/openapi.json', '*'])(
    'for the request target %s',
    async (target) => {
      const answer = await send(target, '127.0.0.1');
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toContain('{"detail":"Bad Request"}');
    },
  );

  it.each([
    'evil.test/graphql',
    'evil.test#',
    'evil.test?',
    'alice@evil.test',
    'evil.test:',
    'a b',
    '[::1',
    '',
  ])('for the Host %j', async (host) => {
    const answer = await send('/nowhere', host);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('{"detail":"Bad Request"}');
  });
});

describe('400, for a body in more than 1000 pieces', () => {
  const head = (length: string, path = '/api/v1/automation/settings') =>
    `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n${length}\r\n\r\n`;
  const chunks = (count: number) => `${'1\r\n \r\n'.repeat(count)}2\r\n{}\r\n0\r\n\r\n`;

  it('chunked', async () => {
    using connection = await openConnection(service);
    connection.write(head('Transfer-Encoding: chunked') + chunks(999));
    expect(await connection.until('"}')).toMatch(/^HTTP\/1\.1 200 /);
    connection.write(head('Transfer-Encoding: chunked') + chunks(1000));
    await connection.closed;
    expect(await connection.until('"Bad Request"}')).toContain('HTTP/1.1 400 Bad Request\r\n');
    const line = /"status":400,"reason":"body-pieces","msg":"request refused"/;
    await expect.poll(() => service.output.stdout).toMatch(line);
  });

  it('chunked, without a token', async () => {
    for (const path of ['/nowhere', '/graphql']) {
      using connection = await openConnection(service);
      connection.write(head('Transfer-Encoding: chunked', path).replace(/Auth.*\r\n/, '') + chunks(1000));
      await connection.closed;
      expect(await connection.until('"}')).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it('with a Content-Length, byte by byte', async () => {
    using connection = await openConnection(service);
    let isClosed = false;
    void connection.closed.then(() => {
      isClosed = true;
    });
    connection.write(head('Content-Length: 65536'));
    for (let written = 0; written < 65_000 && !isClosed; written += 1) {
      connection.write(' ');
      // The service has to read one piece before the next is there: what waits is read as one.
      await delay(1);
    }
    expect(isClosed).toBe(true);
    expect(await connection.until('"}')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('413', () => {
  const detail = 'The body is larger than 65536 bytes';
  const tooMuch = Array.from({ length: 80 }, () => ' '.repeat(1024));

  it.each([['with a token'], ['without a token']])('REST, for a body in chunks, %s', async (which) => {
    const headers = which === 'with a token' ? { authorization: `Bearer ${token}` } : {};
    const answer = await sendChunks('PUT', '/api/v1/automation/settings', tooMuch, headers);
    expect(answer).toEqual({ status: 413, body: { detail } });
  });

  it('GraphQL, for a body in chunks', async () => {
    const answer = await sendChunks('POST', '/graphql', tooMuch);
    const errors = [{ message: detail, extensions: { code: 'PAYLOAD_TOO_LARGE' } }];
    expect(answer).toEqual({ status: 413, body: { errors } });
  });
});

describe('log', () => {
  const calls = [
    ['GET', '/api/v1/auth/private-key', 200],
    ['DELETE', '/api/v1/auth/keys/4', 404],
    ['DELETE', '/api/v1/auth/keys/none', 422],
    ['GET', '/nowhere', 404],
  ] as const;

  const linesOf = (requestId: string) =>
    service.output.stdout.split('\n').filter((line) => line.includes(requestId));

  it.each(calls)('has one JSON line of %s %s', async (method, path, status) => {
    const requestId = crypto.randomUUID();
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': requestId };
    await fetch(service.url + path, { method, headers });
    while (linesOf(requestId).length === 0) await delay(5);
    expect(linesOf(requestId).map((line) => JSON.parse(line))).toMatchObject([
      { requestId, method, status, msg: 'request', milliseconds: expect.any(Number) },
    ]);
  });

  it('contains no token, and only JSON lines', () => {
    const { stdout, stderr } = service.output;
    for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(stdout).toContain('"route":"/graphql"');
    for (const part of token.split('.')) expect(stdout + stderr).not.toContain(part);
  });
});

/** Sends bytes, each part a moment after the other, and returns what comes until the service closes the connection. */
async function exchange(...parts: readonly string[]): Promise<string> {
  const socket = connect(service.port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  for (const part of parts) {
    socket.write(part);
    await delay(100);
  }
  await closed;
  return received;
}

const countAnswers = (received: string) => received.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

describe('an unsupported upgrade', () => {
  const hidden = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const withBody = (method: string, headers: string) =>
    `${method} /api/v1/keys/verify HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${hidden.length}\r\n\r\n`;

  it.each([
    ['Connection: Upgrade\r\nUpgrade: websocket\r\n', 'POST'],
    ['Connection: Upgrade\r\nUpgrade: h2c\r\n', 'PUT'],
    ['Connection: keep-alive, upgrade\r\nUpgrade: x\r\n', 'DELETE'],
    ['Upgrade: x\r\n', 'POST'],
    ['Connection: Upgrade\r\nUpgrade: \r\n', 'POST'],
  ])('does not make a request of its body: %j, %s', async (headers, method) => {
    const received = await exchange(withBody(method, headers) + hidden);
    expect(countAnswers(received)).toBe(1);
    expect(received).not.toContain('HTTP/1.1 200');
  });

  it('without a protocol is none: the connection stays open for the next request', async () => {
    const next = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const received = await exchange(withBody('POST', 'Connection: Upgrade\r\n') + hidden + next);
    expect(received.match(/HTTP\/1\.1 \d{3} /g)).toEqual(['HTTP/1.1 401 ', 'HTTP/1.1 404 ']);
  });

  it("does not read the next request's body as a request", async () => {
    const first = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const received = await exchange(first + withBody('POST', ''), hidden);
    expect(countAnswers(received)).toBe(1);
  });

  it('closes the connection', async () => {
    const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const received = await exchange(request + hidden);
    expect(received).toMatch(/^HTTP\/1\.1 200/);
    expect(received).toMatch(/^connection: close/im);
    expect(countAnswers(received)).toBe(1);
  });
});

describe('an important header, sent twice', () => {
  const send = (path: string, headers: string, method = 'GET') =>
    exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);

  it.each([
    ['two access tokens', '/api/v1/auth/keys', () => [`Bearer ${token}`, 'Bearer x']],
    ['the same, the other way', '/api/v1/auth/keys', () => ['Bearer x', `Bearer ${token}`]],
    ['the same token twice', '/api/v1/auth/keys', () => [`Bearer ${token}`, `Bearer ${token}`]],
    ['two API keys', '/api/v1/keys/authorize', () => ['Bearer sk-a', 'Bearer sk-b']],
    ['two API keys that ask for themselves', '/api/v1/keys/self', () => ['Bearer sk-a', 'Bearer sk-b']],
  ] as const)('is refused with 400: %s', async (_what, path, values) => {
    const [first, second] = values();
    for (const [one, other] of [
      ['Authorization', 'Authorization'],
      ['authorization', 'AUTHORIZATION'],
    ]) {
      const received = await send(path, `${one}: ${first}\r\n${other}: ${second}\r\n`);
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it.each(['1', '2'])(
    'is refused with 400: two accounts to act for, also the same twice: %s',
    async (second) => {
      const named = `Authorization: Bearer ${token}\r\nKeyward-Account: 1\r\nkeyward-account: ${second}\r\n`;
      for (const path of ['/api/v1/auth/keys', '/graphql'])
        expect(await send(path, named)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  it('is refused with 400: two content types', async () => {
    const types = 'Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n';
    expect(await send('/graphql', types, 'POST')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is refused as unreadable: two X-API-Key', async () => {
    const received = await send('/api/v1/keys/authorize', 'X-API-Key: sk-a\r\nX-API-Key: sk-b\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a request target with a scheme and a host', () => {
  const send = (target: string, headers = 'Host: x\r\n') =>
    exchange(`GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);

  it.each([
    ['http://keys.example.com/health/live', 200],
    ['HTTP://keys.example.com:8080/health/live', 200],
    ['https://[::1]:4000/health/live', 200],
    ['http://keys.example.com/api/v1/auth/private-key?x=http://y/', 401],
    ['http://keys.example.com', 404],
    ['http://keys.example.com?x', 404],
  ])('is that of its path: %s → %i', async (target, status) => {
    const received = await send(target);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it.each([
    'http:///health/live',
    'http://a b/health/live',
    'http://user@x/health/live',
    'http://x:99999/health/live',
    'http://x/a/../health/live',
    'http://x/%2e%2e/health/live',
    'http://x/a/..%2fhealth/live',
    'http://x/a%2F..%5Chealth/live',
    'http://x/a/..%2F',
    'http://x\\health/live',
    'ftp://x/health/live',
    'x/health/live',
  ])('is 400 if it could mean another path or host: %s', async (target) => {
    expect(await send(target)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('replaces Host', async () => {
    expect(await send('http://x/health/live', 'Host: a/b\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send('http://x/health/live', 'Host: a\r\nHost: b\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('HTTP/1.0 without Host', () => {
  it.each([
    ['GET /health/ready', 200],
    ['GET /health/live', 200],
    ['GET /api/v1/auth/private-key', 401],
    ['GET /graphql?query=%7B__typename%7D', 200],
    ['GET http://x/health/live', 200],
  ])('is answered: %s → %i', async (request, status) => {
    const received = await exchange(`${request} HTTP/1.0\r\nAccept: application/json\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('is 400 in HTTP/1.1', async () => {
    const received = await exchange('GET /health/ready HTTP/1.1\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a body that does not arrive', () => {
  const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const begin = (request: string, headers: string) => `${request} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

  it.each([
    ['GET /api/v1/keys/authorize', 401],
    ['POST /api/v1/keys/authorize', 401],
    ['PUT /api/v1/keys/authorize/v1/things?a=b', 401],
    ['GET /api/v1/auth/private-key', 401],
    ['HEAD /health/live', 200],
    ['GET /nowhere', 404],
  ])('delays nobody, and the next request is not read as it: %s', async (request, status) => {
    for (const headers of [`Content-Length: ${next.length}\r\n`, 'Transfer-Encoding: chunked\r\n']) {
      const received = await exchange(begin(request, headers), next);
      expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(received).toMatch(/^connection: close/im);
      expect(countAnswers(received)).toBe(1);
    }
  });

  it('and one that does leaves the connection open', async () => {
    const request = begin('POST /api/v1/keys/authorize', 'Content-Length: 2\r\n');
    const received = await exchange(`${request}{}${begin('GET /health/live', 'Connection: close\r\n')}`);
    expect(countAnswers(received)).toBe(2);
  });
});
