import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { stopMilliseconds } from '../../src/process/process-logger.ts';
import { createOnServer } from '../support/database.ts';
import { startHeldProxy } from '../support/held-proxy.ts';
import { report } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';

/** Signals that the service is to stop; how long it takes to be gone, in milliseconds. */
async function timeToStop(service: ServiceProcess): Promise<number> {
  const signalledAt = performance.now();
  service.signal('SIGTERM');
  await service.ended;
  return Math.round(performance.now() - signalledAt);
}

/** Begins to read a pipe that nobody writes to: a thread of Node's hangs in it for good, and Node would wait for it. */
const hang = (pipe: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`import { open } from 'node:fs'; open(${JSON.stringify(pipe)}, 'r', () => {});`)}`;

it.concurrent('a stop that something blocks forever ends after nine seconds, and the log says so', async () => {
  await using folder = await createTemporaryFolder();
  const pipe = join(folder.path, 'pipe');
  spawnSync('mkfifo', [pipe]);
  await using service = await startProcess(folder.path, { NODE_OPTIONS: hang(pipe) });
  const milliseconds = await timeToStop(service);
  report('stop that hangs', { 'gone after ms': milliseconds });
  // Without a limit it would never end. Docker kills after ten seconds.
  expect(stopMilliseconds).toBeLessThan(10_000);
  expect(JSON.parse(service.output.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    level: 60,
    waitingFor: expect.arrayContaining(['FSReqCallback']),
    msg: 'stopping takes too long: ending the process',
  });
});

it.concurrent.each([0, 2])(
  'a stop while PostgreSQL says nothing comes to its end: %i calls in flight',
  async (calls) => {
    await using folder = await createTemporaryFolder();
    using proxy = await startHeldProxy(inject('postgresUrl') ?? '');
    const DATABASE_URL = proxy.through(await createOnServer(inject('postgresUrl') ?? ''));
    await using service = await startProcess(folder.path, { DATABASE_URL, DATABASE_MIGRATE: 'auto' });
    const headers = {
      authorization: `Bearer ${await service.token('alice')}`,
      'content-type': 'application/json',
    };
    const put = () =>
      fetch(`${service.url}/api/v1/automation/settings`, { method: 'PUT', headers, body: '{}' }).then(
        ({ status }) => status,
        () => 'cut',
      );
    expect(await put()).toBe(200);
    proxy.holdAll();
    const inFlight = Array.from({ length: calls }, put);
    await delay(200);
    const milliseconds = await timeToStop(service);
    report('stop while PostgreSQL hangs', {
      calls,
      answers: await Promise.all(inFlight),
      'gone after ms': milliseconds,
    });
  },
);
