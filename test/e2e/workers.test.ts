import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  openConnection,
  runService,
  type ServiceProcess,
  startProcess,
  untilRefused,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

let postgres: OwnPostgres;
let issuer: TestIssuer;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  issuer = await startIssuer();
  folder = await createTemporaryFolder();
  env = {
    NODE_ENV: 'production',
    WORKERS: '2',
    ...secretVariables(),
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
  };
}, 60_000);
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

const path = '/api/v1/automation/settings';
const body = '{"is_enabled": true}';

describe('two workers', () => {
  let service: ServiceProcess;
  beforeEach(async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    service = await startProcess(folder.path, { ...env, DATABASE_URL, DATABASE_MIGRATE: 'auto' }, 25_000);
  }, 30_000);
  afterEach(() => service?.[Symbol.asyncDispose]());

  /** Which processes have written to the log. */
  const pids = () =>
    new Set([...service.output.stdout.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid)));

  /** Calls by a connection of its own: it is with each connection that a worker is chosen. */
  const call = async () => {
    const headers = {
      connection: 'close',
      authorization: `Bearer ${await issuer.sign()}`,
      'content-type': 'application/json',
    };
    const response = await fetch(service.url + path, { method: 'PUT', headers, body });
    await response.body?.cancel();
    return response.status;
  };

  /** Calls until as many processes have answered. */
  const untilAnsweredBy = async (count: number) => {
    while (pids().size < count) {
      expect(await call()).toBe(200);
      await delay(10);
    }
  };

  it('share a port and both answer, and neither is the started process', async () => {
    await untilAnsweredBy(2);
    expect(pids()).not.toContain(service.pid);
    expect(service.output.stdout.match(/"msg":"ready"/g)).toHaveLength(1);
    expect(service.output.stdout).toContain('"database":"PostgreSQL","workers":2,');
    expect(service.output.stderr).toBe('');
  });

  it('all answer health', async () => {
    await untilAnsweredBy(2);
    for (const name of ['live', 'ready'])
      for (let asked = 0; asked < 10; asked += 1) {
        const response = await fetch(`${service.url}/health/${name}`, { headers: { connection: 'close' } });
        expect(response.status).toBe(200);
      }
  });

  it('take over from a killed one until it is replaced', async () => {
    await untilAnsweredBy(2);
    const [victim = 0] = pids();
    process.kill(victim, 'SIGKILL');
    // The supervisor has to have heard of it: what it hands to the dead meanwhile is lost. A busy machine takes its time.
    await delay(1000);
    await untilAnsweredBy(3);
    expect(service.output.stdout.match(/"msg":"ready"/g)).toHaveLength(1);
  });

  it('end at once at the second signal to the supervising process', async () => {
    using connection = await openConnection(service);
    connection.write(
      `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${await issuer.sign()}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await connection.until('100 Continue');
    service.signal('SIGTERM');
    await untilRefused(service);
    await delay(600);
    service.signal('SIGTERM');
    // By the first signal alone, it would end with 0. It has ended when its output is closed, which the workers write to.
    expect(await service.ended).toMatchObject({ code: 143, stderr: '' });
  });

  it('answer all requests in flight after SIGTERM, and end with exit code 0', async () => {
    await using open = new AsyncDisposableStack();
    const connections = await Promise.all(
      Array.from({ length: 20 }, async () => open.use(await openConnection(service))),
    );
    const token = await issuer.sign();
    for (const connection of connections) {
      connection.write(
        `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      await connection.until('100 Continue');
    }
    service.signal('SIGTERM');
    await untilRefused(service);
    for (const connection of connections) connection.write(body);
    for (const connection of connections) {
      expect(await connection.until('"is_enabled":true')).toContain('HTTP/1.1 200 OK');
    }
    const { code, stdout, stderr } = await service.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const tellers = (message: string) => lines.filter(({ msg }) => msg === message).map(({ pid }) => pid);
    // The two, and the process that supervises: it begins first and has the last word.
    expect(new Set(tellers('stopping')).size).toBe(3);
    expect(new Set(tellers('stopped'))).toEqual(new Set(tellers('stopping')));
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped', pid: service.pid });
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'waiting for the workers', pid: service.pid, workers: 2 }),
    );
    expect(new Set(tellers('request')).size).toBe(2);
  });
});

describe('a worker that does not stop', () => {
  it('is killed, and the log says so', async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    await using service = await startProcess(
      folder.path,
      { ...env, DATABASE_URL, DATABASE_MIGRATE: 'auto' },
      25_000,
    );
    const headers = { connection: 'close' };
    while (!/"pid":\d+.*"msg":"request"/.test(service.output.stdout))
      await (await fetch(`${service.url}/nowhere`, { headers })).text();
    const line = service.output.stdout.split('\n').find((text) => text.includes('"msg":"request"')) ?? '';
    const worker: number = JSON.parse(line).pid;
    process.kill(worker, 'SIGSTOP');
    service.signal('SIGTERM');
    const { code, stdout } = await service.ended;
    expect(code).toBe(0);
    const lines = stdout.split('\n').filter((text) => text.includes(`"worker":${worker}`));
    const told = lines.map((text) => JSON.parse(text));
    expect(told.pop()).toMatchObject({ level: 40, msg: 'a worker has ended', signal: 'SIGKILL' });
    // It neither stops nor gives a sign: both may be seen before its end is.
    expect(told.length).toBeGreaterThanOrEqual(1);
    for (const { level, msg } of told)
      expect([level, msg]).toEqual([
        40,
        expect.stringMatching(/^a worker (does not stop|gives no sign): ending it$/),
      ]);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ msg: 'stopped' });
  }, 60_000);
});

describe('workers that cannot start', () => {
  it('end the process with exit code 1, and the reason is logged once', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ended = await runService(folder.path, {
      ...env,
      PORT: `${port}`,
      DATABASE_URL: await createOnServer(postgres.url),
      DATABASE_MIGRATE: 'auto',
    });
    other.close();
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr.match(/PORT \d+ is in use on 127\.0\.0\.1/g)).toHaveLength(1);
    expect(ended.stderr).toContain('WORKERS: a worker stopped before it was ready');
  });

  it('are not started on an older schema', async () => {
    const DATABASE_URL = await createOnServer(postgres.url);
    const ended = await runService(folder.path, { ...env, DATABASE_URL });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Keyward cannot start.*\n {2}DATABASE_URL names a database whose .*\n$/);
  });
});
