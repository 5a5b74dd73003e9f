import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
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

const statusOf = async ({ url }: ServiceProcess, path: string): Promise<number> =>
  (await fetch(url + path, { headers: { connection: 'close' } })).status;

const untilStatus = async (service: ServiceProcess, path: string, status: number): Promise<void> => {
  while ((await statusOf(service, path)) !== status) await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('health', () => {
  it('is on its request targets to the letter, before the gateway, and says nothing more', async () => {
    await using service = await startProcess(folder.path);
    for (const path of ['/health/live', '/health/ready']) {
      const response = await fetch(service.url + path);
      expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
      for (const other of [`${path}?x`, `${path}/`, `/x${path}`, `/graphql${path}`, `/api/v1${path}`])
        expect([other, await statusOf(service, other)]).toEqual([other, 404]);
      const { status } = await fetch(service.url + path, { method: 'DELETE' });
      expect(status).toBe(405);
    }
    // One that is asked every second would fill it.
    expect(service.output.stdout).not.toMatch(/"route":"\/health/);
  });

  it('says at SIGTERM that it is not ready; requests are answered for as long as is configured', async () => {
    await using service = await startProcess(folder.path, { SHUTDOWN_DELAY: '2' });
    const token = await service.token('alice');
    expect(await statusOf(service, '/health/ready')).toBe(200);
    service.signal('SIGTERM');
    await untilStatus(service, '/health/ready', 503);
    expect(await statusOf(service, '/health/live')).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.url}/api/v1/auth/private-key`, { headers })).status).toBe(200);
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('where the database is away', () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  }, 60_000);
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it('the service lives and is not ready, until it is back', async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    await using service = await startProcess(folder.path, { DATABASE_URL, DATABASE_MIGRATE: 'auto' });
    expect(await statusOf(service, '/health/ready')).toBe(200);
    await postgres.stop();
    await untilStatus(service, '/health/ready', 503);
    expect(await statusOf(service, '/health/live')).toBe(200);
    await postgres.start();
    await untilStatus(service, '/health/ready', 200);
  });
});

describe('limits of HTTP', () => {
  it('a slow header and a slow body are answered 408 within 16 s, and nothing waits for them', async () => {
    await using service = await startProcess(folder.path);
    const startedAt = performance.now();
    const slow = [
      'GET /api/v1/auth/private-key HTTP/1.1\r\nHost: a\r\nX-Slow: ',
      'PUT /api/v1/automation/settings HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n63\r\n{',
    ];
    const answers = await Promise.all(
      slow.map(async (start) => {
        using connection = await openConnection(service);
        connection.write(start);
        const drip = setInterval(() => connection.write('x'), 500);
        const answer = await connection.until('"}').finally(() => clearInterval(drip));
        return [answer.split('\r\n', 1)[0], answer.split('\r\n\r\n')[1]];
      }),
    );
    const answer = ['HTTP/1.1 408 Request Timeout', '{"detail":"Request Timeout"}'];
    expect(answers).toEqual([answer, answer, answer]);
    expect(performance.now() - startedAt).toBeLessThan(16_000);
  });

  it('TRACE is refused', async () => {
    await using service = await startProcess(folder.path);
    for (const path of ['/graphql', '/api/v1/auth/private-key', '/health/live', '/nowhere']) {
      using connection = await openConnection(service);
      connection.write(
        `TRACE ${path} HTTP/1.1\r\nHost: a\r\nX-Canary: canary7f3a\r\nConnection: close\r\n\r\n`,
      );
      const answer = await connection.until('}');
      expect(answer).toMatch(/^HTTP\/1\.1 40[45] /);
      expect(answer).not.toContain('canary7f3a');
    }
  });

  it('are those that are configured', async () => {
    const env = { HTTP_MAX_BODY: '2000', HTTP_MAX_HEADERS: '4096', GRAPHQL_MAX_DEPTH: '1' };
    await using service = await startProcess(folder.path, env);
    const headers = {
      authorization: `Bearer ${await service.token('alice')}`,
      'content-type': 'application/json',
    };
    const send = (path: string, method: string, text: string, more = {}) =>
      fetch(service.url + path, { method, headers: { ...headers, ...more }, body: text });
    const put = (length: number) => send('/api/v1/automation/settings', 'PUT', '{}'.padEnd(length));
    expect((await put(2000)).status).toBe(200);
    expect((await put(2001)).status).toBe(413);
    const query = (text: string, length: number) =>
      send('/graphql', 'POST', JSON.stringify({ query: text }).padEnd(length));
    expect((await query('{ __typename }', 2000)).status).toBe(200);
    expect((await query('{ __typename }', 2001)).status).toBe(413);
    expect((await query('{ privateKeyStatus { hasKey } }', 0)).status).toBe(400);
    expect((await send('/graphql', 'POST', '{}', { 'x-long': 'x'.repeat(4096) })).status).toBe(431);
  });
});
