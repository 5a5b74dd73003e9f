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
  it('is live from the first moment, and not ready', async () => {
    expect(await ask('/health/live')).toEqual(ok);
    expect(await ask('/health/ready')).toEqual(unavailable);
  });

  it.each([
    [true, ok],
    [false, unavailable],
  ])('is ready as is said: %s', async (isReady, answer) => {
    health.readyBy(async () => ({ isReady, faults: [] }));
    expect(await ask('/health/ready')).toEqual(answer);
    expect(await ask('/health/live')).toEqual(ok);
  });

  const faults = [{ part: 'database', fault: 'it does not answer' }] as const;
  const detailed = [503, JSON.stringify({ status: 'unavailable', faults })];

  it('says on this machine which part cannot be used', async () => {
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
  ])('says it to nobody for whom a proxy asks: %j', async (headers) => {
    health.readyBy(async () => ({ isReady: false, faults }));
    expect(await askWith(headers)).toEqual(unavailable);
  });

  it.each(['localhost', 'localhost:4000', '127.0.0.1', '[::1]:4000'])(
    'says it to whoever asks for %s',
    async (host) => {
      health.readyBy(async () => ({ isReady: false, faults }));
      expect(await askWith({ host })).toEqual(detailed);
    },
  );

  it('ready all the same → not mentioned', async () => {
    health.readyBy(async () => ({ isReady: true, faults }));
    expect(await ask('/health/ready')).toEqual(ok);
  });

  it('is live and not ready while it stops', async () => {
    health.readyBy(async () => ({ isReady: true, faults: [] }));
    await health.stop(0);
    expect(await ask('/health/ready')).toEqual(unavailable);
    expect(await ask('/health/live')).toEqual(ok);
  });

  it('gives those who go by it time to notice', async () => {
    const startedAt = performance.now();
    await health.stop(100);
    expect(performance.now() - startedAt).toBeGreaterThan(95);
  });

  it.each(['/health/live', '/health/ready'])('has all headers: %s', async (path) => {
    const { headers } = await fetch(url + path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  });

  it.each(['/health/live', '/health/ready'])('is read by GET and HEAD alone: %s', async (path) => {
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
  ])('is on its request targets to the letter, and not on %s', async (path) => {
    expect((await ask(path))[0]).toBe(418);
  });
});
