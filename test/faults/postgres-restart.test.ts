import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { acknowledged, audit, phantoms, report, rounds, send, signIn, startLoad } from '../support/ledger.ts';
import {
  fillDatabase,
  type OwnPostgres,
  startOwnPostgres,
  terminateAll,
} from '../support/postgres-service.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

/** A service on a database of its own, and people who write to it without pause. */
async function startUnderLoad(folder: string, keysEach: number) {
  const url = await createOnServer(postgres.url);
  const { port, query, writers } = await fillDatabase(url, { people: 8, keysEach });
  const env = {
    PORT: `${port}`,
    LOG_LEVEL: 'silent',
    ...unlimited,
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '5',
  };
  const service = await startProcess(folder, env);
  await signIn(service, writers);
  return { service, query, writers, load: startLoad(service.url, writers) };
}

type UnderLoad = Awaited<ReturnType<typeof startUnderLoad>>;

/** What must hold at the end, whatever was done to the database. */
async function conclude(what: string, { query, writers, load }: UnderLoad, figures: Record<string, unknown>) {
  await load.stop();
  const lost = await audit(writers, query);
  report(what, {
    ...figures,
    acknowledged: acknowledged(writers),
    lost: lost.length,
    'answered 503': load.statuses.get(503) ?? 0,
    'longest outage in ms': load.longestOutage(),
  });
  expect(lost).toEqual([]);
  expect(await phantoms(writers, query)).toEqual([]);
  // 200 and 503 with Retry-After, and nothing else: the service itself was there all the time.
  expect(load.unexpected).toEqual([]);
  expect(load.statuses.get(0)).toBeUndefined();
}

it('loses no acknowledged write when PostgreSQL is restarted, says that it is not ready, and recovers', async () => {
  const count = rounds(20, 3);
  await using folder = await createTemporaryFolder();
  const underLoad = await startUnderLoad(folder.path, count * 100);
  const { service, load, writers } = underLoad;
  await using _ended = service;
  const recoveries: number[] = [];
  for (let round = 0; round < count; round += 1) {
    await load.untilAcknowledged(randomInt(20, 200));
    await (round % 2 === 0 ? postgres.stop() : postgres.kill());
    await load.untilUnavailable(50);
    const read = await send(service.url, { token: `${writers[0]?.token}` }, 'GET', '/auth/private-key');
    expect(read?.status).toBe(503);
    await postgres.start();
    const startedAt = performance.now();
    await load.untilAllAcknowledged();
    recoveries.push(Math.round(performance.now() - startedAt));
  }
  await conclude('restarts of PostgreSQL', underLoad, {
    rounds: count,
    'whole again after ms': Math.max(...recoveries),
  });
  expect(load.statuses.get(503)).toBeGreaterThanOrEqual(50 * count);
}, 600_000);

it('loses no acknowledged write when its connections are terminated', async () => {
  const count = rounds(100, 10);
  await using folder = await createTemporaryFolder();
  const underLoad = await startUnderLoad(folder.path, count * 50);
  const { service, query, load } = underLoad;
  await using _ended = service;
  let terminated = 0;
  for (let round = 0; round < count; round += 1) {
    await load.untilAcknowledged(randomInt(10, 60));
    terminated += await terminateAll(query);
    await load.untilAllAcknowledged();
  }
  await conclude('connections to PostgreSQL terminated', underLoad, { rounds: count, terminated });
  expect(terminated).toBeGreaterThanOrEqual(count);
}, 600_000);
