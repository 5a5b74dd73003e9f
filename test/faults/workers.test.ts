import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { report, rounds } from '../support/ledger.ts';
import {
  createTemporaryFolder,
  freePort,
  openConnection,
  root,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

let issuer: TestIssuer;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;
beforeAll(async () => {
  issuer = await startIssuer();
  folder = await createTemporaryFolder();
  env = {
    NODE_ENV: 'production',
    WORKERS: '2',
    ...secretVariables(),
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    DATABASE_URL: await createOnServer(inject('postgresUrl') ?? ''),
    DATABASE_MIGRATE: 'auto',
  };
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const workersOf = (pid: number | undefined): number[] =>
  spawnSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number);

/** The workers of a service, once there are two and none of these. */
async function untilReplaced({ pid }: ServiceProcess, former: readonly number[]): Promise<number[]> {
  for (;;) {
    const workers = workersOf(pid);
    if (workers.length === 2 && !workers.some((worker) => former.includes(worker))) return workers;
    await delay(10);
  }
}

/** The warnings about workers. The server of the tests has settings that are warned about too. */
const warningsOf = ({ output }: ServiceProcess) =>
  output.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ level, msg }) => level >= 40 && /worker/.test(msg));

it('each worker that dies is reported with its cause and replaced, at once and then after growing delays', async () => {
  await using service = await startProcess(folder.path, env, 25_000);
  const killed: number[] = [];
  let workers = workersOf(service.pid);
  for (let round = 0; round < 3; round += 1) {
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    killed.push(...workers);
    workers = await untilReplaced(service, killed);
  }
  await expect.poll(() => warningsOf(service)).toHaveLength(killed.length);
  const warnings = warningsOf(service);
  expect(new Set(warnings.map(({ worker }) => worker))).toEqual(new Set(killed));
  for (const warning of warnings)
    expect(warning).toMatchObject({
      level: 40,
      signal: 'SIGKILL',
      exitCode: null,
      msg: 'a worker has ended',
    });
  const waits = warnings.map(({ wait }) => wait);
  // Where the machine was slow, those of the start have lived for ten seconds: then their successors begin anew.
  expect(waits.slice(0, 2)).toEqual([0, 0]);
  expect(waits.slice(4)).toEqual([400, 400]);
});

it('one that is stopped alone is reported with its exit code', async () => {
  await using service = await startProcess(folder.path, env, 25_000);
  const [worker = 0] = workersOf(service.pid);
  process.kill(worker, 'SIGTERM');
  await expect
    .poll(() => warningsOf(service))
    .toMatchObject([{ worker, signal: null, exitCode: 0, wait: 0, msg: 'a worker has ended' }]);
});

it('one that gives no sign is killed and replaced, and a client loses its connection only then', async () => {
  await using service = await startProcess(folder.path, env, 25_000);
  const [stopped = 0, other = 0] = workersOf(service.pid);
  const request = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const connections = await Promise.all(Array.from({ length: 4 }, () => openConnection(service)));
  for (const connection of connections) {
    connection.write(request);
    await connection.until('"ok"');
  }
  const stoppedAt = performance.now();
  process.kill(stopped, 'SIGSTOP');
  for (const connection of connections) connection.write(request);
  // They were shared out in turn: two are held by the one that hangs, and no longer than it is there.
  const closed = connections.map(({ closed }) => closed);
  await Promise.race(closed);
  const milliseconds = Math.round(performance.now() - stoppedAt);
  expect(await untilReplaced(service, [stopped])).toContain(other);
  await expect
    .poll(() => warningsOf(service))
    .toMatchObject([
      { worker: stopped, msg: 'a worker gives no sign: ending it' },
      { worker: stopped, signal: 'SIGKILL', wait: 0, msg: 'a worker has ended' },
    ]);
  for (const connection of connections) connection[Symbol.dispose]();
  report('worker that hangs', { 'ended after ms': milliseconds });
});

/** Starts the service as a group of processes. */
async function startGroup(): Promise<ChildProcess> {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [join(root, 'dist/server/main.js')], {
    cwd: folder.path,
    env: { PATH, PORT: `${await freePort()}`, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
}

it('a signal to all of them ends the service with exit code 0, as soon as there is a worker', async () => {
  const outcomes: unknown[] = [];
  for (let round = 0; round < rounds(26, 5); round += 1) {
    const service = await startGroup();
    const ended = once(service, 'exit');
    while (workersOf(service.pid).length === 0) await delay(1);
    await delay((round * 25) / rounds(25, 4));
    process.kill(-(service.pid ?? 0), 'SIGTERM');
    outcomes.push(await ended);
  }
  expect(outcomes).toEqual(Array(outcomes.length).fill([0, null]));
});

it('a setting with which data can be lost is reported once, whatever the number of workers', async () => {
  const risky = `${env['DATABASE_URL']}?options=-csynchronous_commit%3Doff`;
  await using service = await startProcess(folder.path, { ...env, DATABASE_URL: risky }, 25_000);
  expect(service.output.stdout.match(/synchronous_commit=off/g)).toHaveLength(1);
});
