import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Health, listen, stop } from '../../../src/http/server.ts';

let health: Health;
let server: Server;
let url: string;
beforeEach(async () => {
  health = new Health();
  server = createServer((request, response) => {
    if (!health.answer(request, response)) response.writeHead(418).end();
  });
  url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
});
afterEach(() => stop(server));

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(url + path, { method });
  return [response.status, await response.text()] as const;
};

/** By Node itself: `fetch` writes some headers as it likes. */
const askWith = async (headers: Record<string, string>) => {
  const [response] = (await once(request(`${url}/health/ready`, { headers }).end(), 'response')) as [
    IncomingMessage,
  ];
  return [response.statusCode, await text(response)];
};

const ok = [200, '{"status":"ok"}'];
const unavailable = [503, '{"status":"unavailable"}'];

describe('health', () => {
  it('before a check is set → live, but not ready', async () => {
    expect(await ask('/health/live')).toEqual(ok);
    expect(await ask('/health/ready')).toEqual(unavailable);
  });

  it.each([
    [true, ok],
    [false, unavailable],
  ])('readiness follows the check that is set: %s', async (isReady, answer) => {
    health.readyBy(async () => ({ isReady, faults: [] }));
    expect(await ask('/health/ready')).toEqual(answer);
    expect(await ask('/health/live')).toEqual(ok);
  });

  const faults = [{ part: 'database', fault: 'it does not answer' }] as const;
  const detailed = [503, JSON.stringify({ status: 'unavailable', faults })];

  it('a request from this machine → names the part that fails', async () => {
    health.readyBy(async () => ({ isReady: false, faults }));
    expect(await ask('/health/ready')).toEqual(detailed);
    expect(await ask('/health/live')).toEqual(ok);
  });

  it.each([
    { 'x-forwarded-for': '192.0.2.1' },
    { 'x-forwarded-for': '' },
    { 'X-Forwarded-Proto': 'https' },
    { 'x-forwarded-host': 'keyward.example.com' },
    { 'x-real-ip': '192.0.2.1' },
    { forwarded: 'for=192.0.2.1' },
    { via: '1.1 proxy' },
    { host: 'keyward.example.com' },
    { host: 'localhost.example.com' },
    { host: '127.0.0.1.example.com' },
  ])('a request through a proxy, or for another host → names no part: %j', async (headers) => {
    health.readyBy(async () => ({ isReady: false, faults }));
    expect(await askWith(headers)).toEqual(unavailable);
  });

  it.each(['localhost', 'localhost:4000', '127.0.0.1', '[::1]:4000'])(
    'a request for the host %s → names the part that fails',
    async (host) => {
      health.readyBy(async () => ({ isReady: false, faults }));
      expect(await askWith({ host })).toEqual(detailed);
    },
  );

  it('ready in spite of a fault → the fault is not mentioned', async () => {
    health.readyBy(async () => ({ isReady: true, faults }));
    expect(await ask('/health/ready')).toEqual(ok);
  });

  it('stopping → live, but not ready', async () => {
    health.readyBy(async () => ({ isReady: true, faults: [] }));
    await health.stop(0);
    expect(await ask('/health/ready')).toEqual(unavailable);
    expect(await ask('/health/live')).toEqual(ok);
  });

  it('stopping → takes the given time', async () => {
    const startedAt = performance.now();
    await health.stop(100);
    expect(performance.now() - startedAt).toBeGreaterThan(95);
  });

  it.each(['/health/live', '/health/ready'])('has the usual headers: %s', async (path) => {
    const { headers } = await fetch(url + path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  });

  it.each(['/health/live', '/health/ready'])('allows GET and HEAD only: %s', async (path) => {
    health.readyBy(async () => ({ isReady: true, faults: [] }));
    expect(await ask(path, 'HEAD')).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url + path, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it.each([
    '/',
    '/health',
    '/health/',
    '/health/live/',
    '/health/live?',
    '/health/live?x=1',
    '/health/ready?x=/health/ready',
    '/health/liveness',
    '/x/health/live',
    '//health/live',
    '/Health/Live',
    '/health%2Flive',
    '/health/%6Cive',
    '/x?y=/health/live',
  ])('does not answer at %s, which is not exactly its path', async (path) => {
    expect((await ask(path))[0]).toBe(418);
  });
});
