import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createHttpServer, listen, stop } from '../../../src/http/server.ts';

const { http: defaults } = loadConfig({});

let server: Server | undefined;
let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
});
afterEach(async () => {
  server?.closeAllConnections();
  if (server) await stop(server);
  server = undefined;
});

const echo: RequestListener = (request, response) => {
  const answer = () => response.end(`${request.method} ${request.url}`);
  if (request.readableEnded) answer();
  else request.resume().on('end', answer);
};

const start = async (limits: Partial<HttpLimits> = {}, listener = echo): Promise<number> => {
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  server = createHttpServer(listener, { ...defaults, ...limits }, logger);
  return await listen(server, 0, '127.0.0.1');
};

/** Sends a text as it is, and reads until the connection ends; no client would send what is sent here. */
const send = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (chunk: string) => {
    received += chunk;
  });
  // It may be cut while there is more to send.
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return received;
};

const shortTimeouts = { headers: 100, request: 200, answer: 200, keepAlive: 100 };

/** What every refusal looks like, and its line in the log. */
const expectRefusal = (answer: string, status: number, text: string, reason: string) => {
  const [head = '', body] = answer.split('\r\n\r\n');
  const [first, ...headers] = head.split('\r\n');
  expect(first).toBe(`HTTP/1.1 ${status} ${text}`);
  const found = new Headers(headers.map((line) => line.split(': ') as [string, string]));
  expect(JSON.parse(body ?? '')).toEqual({ detail: text });
  expect(Object.fromEntries(found)).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const requestId = found.get('x-request-id');
  expect(lines).toEqual([
    { level: 30, time: expect.any(Number), requestId, status, reason, msg: 'request refused' },
  ]);
};

describe('a request', () => {
  it('within the limits reaches the listener', async () => {
    const port = await start({ timeouts: shortTimeouts });
    const answer = await send(
      port,
      'POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*POST \/a/);
    expect(lines).toEqual([]);
  });
});

describe('Expect', () => {
  it('an unknown value → ignored, and the listener answers', async () => {
    const port = await start();
    const answer = await send(
      port,
      'GET /a HTTP/1.1\r\nHost: a\r\nExpect: anything\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*GET \/a/);
  });

  it('100-continue → 100, then the answer', async () => {
    const port = await start();
    const answer = await send(
      port,
      'POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });
});

describe('400', () => {
  it.each([
    [
      'both a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'chunks and a length',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}'],
    ['an encoding that is not chunked', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n{}'],
    ['no such method', 'HELP / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no such version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n'],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('is the answer to %s', async (_what, text) => {
    const port = await start();
    expectRefusal(await send(port, text), 400, 'Bad Request', expect.stringMatching(/^HPE_/) as never);
  });

  it('is the answer to a request target that is no path', async () => {
    const port = await start();
    const answer = await send(port, 'GET ftp://evil.test/a HTTP/1.1\r\nHost: a\r\n\r\n');
    const withoutDates = answer.replace(/Date: .*\r\n/, '');
    expectRefusal(withoutDates, 400, 'Bad Request', 'target');
  });

  it.each([
    ['two Host headers', 'Host: a\r\nHost: b\r\n'],
    ['the same Host header twice', 'Host: a\r\nX: y\r\nhOST: a\r\n'],
    ['no Host header', ''],
  ])('is the answer to a request with %s', async (_what, headers) => {
    const port = await start();
    const answer = await send(port, `GET / HTTP/1.1\r\n${headers}\r\n`);
    expectRefusal(answer.replace(/Date: .*\r\n/, ''), 400, 'Bad Request', 'target');
  });

  it('is not the answer to headers whose names or values look like Host', async () => {
    const port = await start();
    const others = 'X-Host: b\r\nHosts: c\r\nX: host\r\nHos: d\r\n';
    const answer = await send(port, `GET /a HTTP/1.1\r\nHost: a\r\n${others}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*GET \/a/);
  });

  it('neither the answer nor the log repeats anything of the request', async () => {
    const port = await start();
    const answer = await send(port, 'canary7f3a /canary7f3a HTTP/1.1\r\nHost: canary7f3a\r\n\r\n');
    expect(answer).toContain('400');
    expect(answer + JSON.stringify(lines)).not.toContain('canary7f3a');
  });
});

describe('431', () => {
  const request = (bytes: number) =>
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`;

  it('is the answer to headers over 16 KiB', async () => {
    const port = await start();
    expectRefusal(
      await send(port, request(16 * 1024)),
      431,
      'Request Header Fields Too Large',
      'HPE_HEADER_OVERFLOW',
    );
  });

  it('is not the answer to headers just below 16 KiB', async () => {
    const port = await start();
    expect(await send(port, request(16 * 1024 - 100))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is the answer to headers over a lower limit, if one is configured', async () => {
    const port = await start({ headers: 4096 });
    expect(await send(port, request(4096))).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('408', () => {
  it.each([
    ['nothing at all', ''],
    ['headers that do not end', 'GET / HTTP/1.1\r\nHost: a\r\nX'],
    ['a body that does not end', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'],
    ['a chunk that does not end', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{'],
  ])('is the answer to %s', async (_what, text) => {
    const port = await start({ timeouts: { ...shortTimeouts, answer: 60_000 } });
    expectRefusal(await send(port, text), 408, 'Request Timeout', 'ERR_HTTP_REQUEST_TIMEOUT');
  });

  it('is the answer to headers that arrive too slowly', async () => {
    const port = await start({ timeouts: { ...shortTimeouts, answer: 60_000 } });
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: ');
    const drip = setInterval(() => socket.write('x'), 20);
    const [answer] = await once(socket, 'data');
    clearInterval(drip);
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('503', () => {
  it('no answer in time → 503', async () => {
    const port = await start({ timeouts: shortTimeouts }, () => {});
    const answer = await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer).toMatch(/retry-after: 5\r\n/);
    expectRefusal(answer.replace(/Date: .*\r\n/, ''), 503, 'Service Unavailable', 'answer-timeout');
  });

  it('an answer that has begun and does not end → cut off, without a 503', async () => {
    const port = await start({ timeouts: shortTimeouts }, (_request, response) => {
      response.writeHead(200);
      response.write('a');
    });
    const answer = await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toContain('503');
    expect(lines).toEqual([]);
  });
});

describe('a connection', () => {
  it('that is idle → kept for the configured time, then closed', async () => {
    const port = await start({ timeouts: { ...shortTimeouts, answer: 60_000, keepAlive: 300 } });
    const startedAt = performance.now();
    expect(await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/Keep-Alive: timeout=/);
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    expect(lines).toEqual([]);
  });

  it('one more than allowed → closed at once, and logged once', async () => {
    const port = await start({ connections: 1 });
    const first = connect(port, '127.0.0.1');
    await once(first, 'connect');
    for (let index = 0; index < 3; index += 1) {
      expect(await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
    }
    first.destroy();
    expect(lines).toMatchObject([{ level: 40, connections: 1, msg: 'too many connections' }]);
  });
});
