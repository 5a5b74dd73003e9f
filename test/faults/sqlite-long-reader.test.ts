import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { report, rounds, send } from '../support/ledger.ts';
import {
  createTemporaryFolder,
  freePort,
  type ServiceProcess,
  startProcess,
  unlimited,
} from '../support/process.ts';
import { Scrape } from '../support/scrape.ts';

const megabyte = 1024 * 1024;
const sizeOf = ({ databaseFile }: ServiceProcess) => statSync(`${databaseFile}-wal`).size;

/** Another program, which has begun to read and does not end. */
function startReading(file: string): Disposable {
  const reader = new Sqlite(file, { readonly: true });
  const rows = reader.prepare('select 1 from sqlite_schema').iterate();
  rows.next();
  return {
    [Symbol.dispose]: () => {
      rows.return?.();
      reader.close();
    },
  };
}

/** Lets the log grow by so many megabytes, as many writes do. */
function grow(file: string, megabytes: number): void {
  const other = new Sqlite(file);
  other.pragma('synchronous = off');
  other.pragma('wal_autocheckpoint = 0');
  other.exec('create table if not exists ballast (id integer primary key, bytes blob)');
  const write = other.prepare('insert or replace into ballast values (1, randomblob(?))');
  for (let written = 0; written < megabytes; written += 8) write.run(8 * megabyte);
  other.close();
}

it('shrinks its write-ahead log with the second change after a long reader is gone, and reports a large one', async () => {
  await using folder = await createTemporaryFolder();
  const metricsPort = await freePort();
  await using service = await startProcess(folder.path, { METRICS_PORT: `${metricsPort}`, ...unlimited });
  const writer = { token: await service.token('alice') };
  let seconds = 100;
  const write = () => {
    // Equal settings would change nothing.
    seconds += 1;
    return send(service.url, writer, 'PUT', '/automation/settings', { session_duration: seconds });
  };
  const shown = async () =>
    new Scrape(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).sum(
      'keyward_database_wal_bytes',
    );
  const told = () => service.output.stdout.match(/"level":40.*keyward\.db-wal has grown to \d+ MB/g)?.length;
  const reader = startReading(service.databaseFile);
  grow(service.databaseFile, Math.max(300, rounds(1400, 300)));
  const grown = sizeOf(service);
  expect(await shown()).toBe(grown);
  const until = async (holds: () => boolean) => {
    const startedAt = performance.now();
    let longest = 0;
    while (!holds() && performance.now() - startedAt < 20_000) {
      const askedAt = performance.now();
      await fetch(`${service.url}/health/live`);
      longest = Math.max(longest, performance.now() - askedAt);
      await delay(20);
    }
    return { waited: Math.round(performance.now() - startedAt), longest: Math.round(longest) };
  };
  await until(() => told() !== undefined);
  expect((await write())?.status).toBe(200);
  expect(sizeOf(service)).toBeGreaterThanOrEqual(grown);

  reader[Symbol.dispose]();
  // The first is answered when the log is written back, the second begins it anew.
  const changes = (async () => [await write(), await write()])();
  const { waited, longest } = await until(() => sizeOf(service) <= 16 * megabyte);
  report('a long reader on SQLite', {
    'log in MB': Math.round(grown / megabyte),
    'after it was gone': Math.round(sizeOf(service) / megabyte),
    'after ms': waited,
    'longest wait for health meanwhile in ms': longest,
  });
  expect((await changes).map((answer) => answer?.status)).toEqual([200, 200]);
  expect(grown).toBeGreaterThan(256 * megabyte);
  expect(sizeOf(service)).toBeLessThanOrEqual(16 * megabyte);
  expect(await shown()).toBe(sizeOf(service));
  expect(told()).toBe(1);
  expect((await write())?.status).toBe(200);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});
