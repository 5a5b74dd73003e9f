import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { report, rounds, signIn } from '../support/ledger.ts';
import { createSender } from '../support/open-loop.ts';
import { fillDatabase } from '../support/postgres-service.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

const connections = 1200;
const size = { people: 50, keysEach: 1 };

/** The most memory that a process has had, in MiB. */
const peakMemory = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
};

const percentile = (times: readonly number[], part: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0);

it.each(['SQLite', 'PostgreSQL'])(
  'sheds what is above twice the load that it can carry, serves the rest, and lives: %s',
  async (database) => {
    await using folder = await createTemporaryFolder();
    const url = database === 'PostgreSQL' ? await createOnServer(inject('postgresUrl') ?? '') : undefined;
    const { port, writers } = await (url
      ? fillDatabase(url, size)
      : createSqliteFile(join(folder.path, 'data', 'keyward.db'), size));
    await using service = await startProcess(folder.path, {
      PORT: `${port}`,
      LOG_LEVEL: 'warn',
      ...unlimited,
      NODE_OPTIONS: '--max-old-space-size=256',
      ...(url && { DATABASE_URL: url }),
    });
    await signIn(service, writers);
    const tokens = writers.map(({ token }) => token);
    using sender = createSender(service.url, tokens, connections);
    await sender.closedLoop(32, 1000);
    const alone = await sender.closedLoop(32, 3000);
    const capacity = (alone.served.length / alone.milliseconds) * 1000;
    await sender.connect();
    const time = rounds(30, 8) * 1000;
    const { statuses, served, milliseconds } = await sender.openLoop(2 * capacity, time);
    report(`Twice the load on ${database}`, {
      'carries a second': Math.round(capacity),
      'served a second': Math.round((served.length / milliseconds) * 1000),
      'refused with 503': statuses.get(503) ?? 0,
      'served after ms, p50': percentile(served, 0.5),
      'served after ms, p99': percentile(served, 0.99),
      'peak memory MiB': await peakMemory(service.pid),
    });
    expect([...statuses.keys()].toSorted()).toEqual([200, 503]);
    expect(statuses.get(503)).toBeGreaterThan(0);
    expect(served.length).toBeGreaterThan((capacity * time) / 1000 / 4);
    expect(service.output.stdout).toContain('overloaded: refusing requests');
    await delay(1000);
    const after = await sender.closedLoop(8, 1000);
    expect([...after.statuses.keys()]).toEqual([200]);
  },
);

it('refuses nobody because it paused once, for example for a disk or with the whole machine', async () => {
  await using folder = await createTemporaryFolder();
  const { port, writers } = await createSqliteFile(join(folder.path, 'data', 'keyward.db'), size);
  await using service = await startProcess(folder.path, { PORT: `${port}`, LOG_LEVEL: 'warn', ...unlimited });
  await signIn(service, writers);
  using sender = createSender(
    service.url,
    writers.map(({ token }) => token),
    32,
  );
  const load = sender.closedLoop(32, 5000);
  await delay(2000);
  service.signal('SIGSTOP');
  await delay(1500);
  service.signal('SIGCONT');
  expect([...(await load).statuses.keys()]).toEqual([200]);
});
