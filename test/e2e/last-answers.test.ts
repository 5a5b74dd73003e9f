import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  openConnection,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const start = (delayed: number) =>
  startProcess(folder.path, { DATABASE_URL: 'sqlite::memory:', SHUTDOWN_DELAY: `${delayed}` });

const untilNotReady = async ({ url }: ServiceProcess) => {
  while ((await fetch(`${url}/health/ready`)).ok) await delay(10);
};

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
const body = '{"is_enabled": true}';

it('each response after SIGTERM says that its connection closes', async () => {
  // Until then, it takes new connections: those below.
  await using service = await start(8);
  using kept = await openConnection(service);
  kept.write(request('/health/live'));
  expect(await kept.until('{"status":"ok"}')).toContain('\r\nConnection: keep-alive\r\n');
  using inFlight = await openConnection(service);
  inFlight.write(
    'PUT /api/v1/automation/settings HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${await service.token('alice')}\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await inFlight.until('100 Continue');
  service.signal('SIGTERM');
  await untilNotReady(service);
  kept.write(request('/nowhere'));
  expect(await kept.until('Not Found')).toMatch(/ 404 Not Found\r\n.*\r\nConnection: close\r\n/s);
  inFlight.write(body);
  expect(await inFlight.until('"is_enabled":true')).toMatch(/ 200 OK\r\n.*\r\nConnection: close\r\n/s);
  for (const path of [
    '/health/live',
    '/health/ready',
    '/api/v1/auth/keys',
    '/graphql',
    '/console',
    '/a\\b',
  ]) {
    using connection = await openConnection(service);
    connection.write(request(path));
    expect([path, await connection.until('\r\n\r\n')]).toEqual([
      path,
      expect.stringMatching(/\r\nconnection: close\r\n/i),
    ]);
  }
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});

/** Asks by a connection that is kept, until an answer says that it closes; what went wrong before. */
async function askOn({ url }: ServiceProcess): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const failures: string[] = [];
  let isLast = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      get(`${url}/api/v1/auth/keys`, { agent }, (response) => {
        isLast = response.headers.connection === 'close';
        response.resume().once('end', resolve);
      }).once('error', ({ code = '' }: NodeJS.ErrnoException) => {
        failures.push(code);
        isLast = code === 'ECONNREFUSED';
        resolve();
      });
    });
  for (; !isLast; await delay(5)) await ask();
  agent.destroy();
  return failures;
}

it('clients with open connections lose no request; an idle one is closed', async () => {
  // Until then, each client has to ask once more.
  await using service = await start(4);
  using idle = await openConnection(service);
  idle.write(request('/health/live'));
  await idle.until('{"status":"ok"}');
  const clients = Array.from({ length: 20 }, () => askOn(service));
  await delay(300);
  service.signal('SIGTERM');
  expect((await Promise.all(clients)).flat()).toEqual([]);
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});
