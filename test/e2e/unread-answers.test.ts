import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMegabytes } from '../bench/process-figures.ts';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';
import { openUnread, sendRaw } from '../support/raw-http.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

const assets = globSync('assets/*', { cwd: join(root, 'dist/web') });
const sizeOf = (name: string) => statSync(join(root, 'dist/web', name)).size;
/** 1.8 MB; what is sent is not compressed, since nobody asks for that. */
const largest = assets.reduce((found, each) => (sizeOf(each) > sizeOf(found) ? each : found));

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const post = (query: string, token: string) => {
  const body = JSON.stringify({ query });
  const headers = `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  return `POST /graphql HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
};

/** A service that has answered what it is asked for below, so that only the answers are new. */
async function startWarm(env: Record<string, string> = {}) {
  const service = await startProcess(folder.path, { LOG_LEVEL: 'warn', ...env });
  const token = await service.token('alice');
  const warmUp = [get(`/${largest}`), get('/api/v1/openapi.json'), post(getIntrospectionQuery(), token)];
  for (const request of warmUp) expect((await sendRaw(service.port, request)).status).toBe(200);
  const before = Number(residentMegabytes(service.pid));
  return {
    service,
    token,
    /** By how much its memory has grown, in MB. */
    growth: () => Number(residentMegabytes(service.pid)) - before,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const ask = async ({ url }: ServiceProcess, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/v1/auth/private-key`, { headers })).status;
};

/** Asks for this many seconds: the share that was served, and the most memory meanwhile. */
async function watch({ service, token, growth }: Awaited<ReturnType<typeof startWarm>>, seconds: number) {
  const [statuses, memory]: [number[], number[]] = [[], []];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    statuses.push((await fetch(`${service.url}/health/live`)).status);
    statuses.push(await ask(service, token));
    memory.push(growth());
    await delay(20);
  }
  const served = statuses.filter((status) => status === 200).length / statuses.length;
  return { served, growth: Math.max(...memory) };
}

/** The requests in flight each time that the service logged that it had refused some. */
const placesWhenRefusing = ({ output }: ServiceProcess): number[] =>
  [...output.stdout.matchAll(/"inFlight":(\d+)/g)].map(([, places]) => Number(places));

/** Sends the same to several connections, and reads nothing from them. */
async function openAll(connections: number, port: number, text: string) {
  const stack = new DisposableStack();
  for (let opened = 0; opened < connections; opened += 1) stack.use(await openUnread(port, text));
  return stack;
}

describe('responses that nobody reads', () => {
  it('cost almost nothing if they are files: 190 requests on each of five connections', async () => {
    await using warm = await startWarm();
    using _unread = await openAll(5, warm.service.port, get(`/${largest}`).repeat(190));
    const { served, growth } = await watch(warm, 3);
    expect(growth).toBeLessThan(100);
    expect(served).toBeGreaterThan(0.9);
  });

  it('take one place for each connection if they are GraphQL', async () => {
    await using warm = await startWarm({ MAX_IN_FLIGHT: '10' });
    const { service, token } = warm;
    using _unread = await openAll(3, service.port, post(getIntrospectionQuery(), token).repeat(190));
    const { served } = await watch(warm, 4);
    // Three, and the one that asks meanwhile.
    expect(placesWhenRefusing(service).filter((places) => places > 4)).toEqual([]);
    // They are work as well: on a busy machine some requests are refused for it.
    expect(served).toBeGreaterThan(0.5);
  });

  it('cost little on many connections, each with more requests than get answers', async () => {
    await using warm = await startWarm();
    const text = get(`/${largest}`).repeat(12) + get('/nowhere').repeat(60);
    // In all more than may wait: some of them are closed.
    using _unread = await openAll(200, warm.service.port, text);
    const { served, growth } = await watch(warm, 3);
    expect(growth).toBeLessThan(100);
    expect(served).toBeGreaterThan(0.9);
  });

  it('cost at most MAX_IN_FLIGHT responses on 600 connections, over REST and GraphQL', async () => {
    await using warm = await startWarm({ MAX_IN_FLIGHT: '200' });
    const { service, token } = warm;
    const keys = `GET /api/v1/auth/keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    using _lists = await openAll(300, service.port, keys.repeat(20));
    using _documents = await openAll(300, service.port, post(getIntrospectionQuery(), token));
    const { served, growth } = await watch(warm, 4);
    // Each of the 200 takes at most the 300 kB of an introspection.
    expect(growth).toBeLessThan(150);
    expect(served).toBeGreaterThan(0.5);
  });

  it('do not block other requests', async () => {
    await using warm = await startWarm({ MAX_IN_FLIGHT: '3' });
    const { service, token } = warm;
    using unread = await openAll(6, service.port, post(getIntrospectionQuery(), token).repeat(1500));
    const statuses: number[] = [];
    // Three places, six clients that do not read, each of which would keep one for half a minute.
    const isOver = () => statuses.slice(-20).filter((status) => status === 200).length === 20;
    while (!statuses.includes(503) || !isOver()) {
      statuses.push(await ask(service, token));
      await delay(50);
    }
    unread.dispose();
    expect(await Promise.all([1, 2, 3].map(() => ask(service, token)))).toEqual([200, 200, 200]);
  });

  it('arrive whole if they are read later', async () => {
    await using warm = await startWarm();
    const text = get(`/${largest}`).repeat(20) + get('/health/live').repeat(99);
    const last = 'GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    using socket = await openUnread(warm.service.port, text + last);
    await delay(500);
    const received = Buffer.concat(await socket.toArray());
    expect(received.toString('latin1').match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(120);
    expect(received.length).toBeGreaterThan(20 * sizeOf(largest));
  });
});
