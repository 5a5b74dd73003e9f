import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { type OwnPostgres, queryServer, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  openConnection,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

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
  it('is at exactly its paths, before the gateway, and says nothing else', async () => {
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

  it('says at SIGTERM that it is not ready; requests are answered for the configured time', async () => {
    await using service = await startProcess(folder.path, { SHUTDOWN_DELAY: '2' });
    const token = await service.token('alice');
    expect(await statusOf(service, '/health/ready')).toBe(200);
    service.signal('SIGTERM');
    await untilStatus(service, '/health/ready', 503);
    expect(await statusOf(service, '/health/live')).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.url}/api/v1/auth/private-key`, { headers })).status).toBe(200);
    const ended = await service.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(
      '"seconds":2,"msg":"still answering until load balancers notice the stop"',
    );
  });
});

describe('without the database', () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  }, 60_000);
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it('the service is live and not ready until it is back', async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    await using service = await startProcess(folder.path, { DATABASE_URL, DATABASE_MIGRATE: 'auto' });
    expect(await statusOf(service, '/health/ready')).toBe(200);
    await postgres.stop();
    await untilStatus(service, '/health/ready', 503);
    expect(await statusOf(service, '/health/live')).toBe(200);
    const faults = [{ part: 'database', fault: 'it does not answer' }];
    const response = await fetch(`${service.url}/health/ready`);
    expect(await response.json()).toEqual({ status: 'unavailable', faults });
    await postgres.start();
    await untilStatus(service, '/health/ready', 200);
    // The log comes by a pipe, a little later.
    await expect
      .poll(() => service.output.stdout.match(/"msg":"(not ready:|a dependency) .*"/g))
      .toEqual(['"msg":"not ready: a dependency is unavailable"', '"msg":"a dependency is available again"']);
  });

  it('or with a read-only one, the service is not ready and still answers reads', async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    await using service = await startProcess(folder.path, { DATABASE_URL, DATABASE_MIGRATE: 'auto' });
    const token = await service.token('alice');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const change = () =>
      fetch(`${service.url}/api/v1/automation/settings`, {
        method: 'PUT',
        headers,
        body: '{"is_enabled":true}',
      });
    const server = queryServer(postgres.url);
    const setReadOnly = async (value: 'on' | 'off') => {
      await server(`alter system set default_transaction_read_only = ${value}`);
      await server('select pg_reload_conf()');
    };
    expect((await change()).status).toBe(200);
    await setReadOnly('on');
    await untilStatus(service, '/health/ready', 503);
    const faults = [{ part: 'database', fault: 'PostgreSQL takes no writes: it is read-only' }];
    expect(await (await fetch(`${service.url}/health/ready`)).json()).toMatchObject({ faults });
    expect((await change()).status).toBe(503);
    expect((await fetch(`${service.url}/api/v1/automation/settings`, { headers })).status).toBe(200);
    await setReadOnly('off');
    await untilStatus(service, '/health/ready', 200);
    expect((await change()).status).toBe(200);
  });
});

/** An address of this machine that others reach it by, where it has one. */
const outerAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

describe('without an issuer’s keys', () => {
  const startWithout = (env: Record<string, string> = {}) =>
    startProcess(folder.path, {
      NODE_ENV: 'production',
      ...secretVariables(),
      AUTH_ISSUER: 'http://127.0.0.1:9',
      AUTH_AUDIENCE: 'keyward',
      ...env,
    });

  it('the service is live and not ready, and names the issuer: to this machine and in the log', async () => {
    await using service = await startWithout({ HOST: '0.0.0.0' });
    const fault = {
      part: 'verification keys',
      issuer: 'http://127.0.0.1:9',
      fault: 'its key set could not be read',
    };
    const ask = async (url: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/health/ready`, { headers });
      return [response.status, await response.json()];
    };
    const detailed = [503, { status: 'unavailable', faults: [fault] }];
    expect(await ask(service.url)).toEqual(detailed);
    expect(await ask(service.url)).toEqual(detailed);
    const short = [503, { status: 'unavailable' }];
    expect(await ask(service.url, { 'x-forwarded-for': '192.0.2.7' })).toEqual(short);
    if (outerAddress) expect(await ask(`http://${outerAddress}:${service.port}`)).toEqual(short);
    const lines = () =>
      service.output.stdout
        .split('\n')
        .filter((line) => line.includes('not ready: a dependency is unavailable'));
    await expect
      .poll(() => lines().map((line) => JSON.parse(line)))
      .toEqual([expect.objectContaining({ level: 40, ...fault })]);
  });

  it('the log says so without a request', async () => {
    await using service = await startWithout();
    while (!service.output.stdout.includes('not ready: a dependency is unavailable'))
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

describe('HTTP limits', () => {
  it('a slow header and a slow body get 408, and nothing waits for them', async () => {
    await using service = await startProcess(folder.path);
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

  it('are as configured', async () => {
    const env = { HTTP_MAX_BODY: '2000', HTTP_MAX_HEADERS: '4096', GRAPHQL_MAX_COST: '1' };
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
