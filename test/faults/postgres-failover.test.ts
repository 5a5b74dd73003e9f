import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import {
  acknowledged,
  audit,
  phantoms,
  report,
  rounds,
  send,
  signIn,
  startLoad,
  update,
} from '../support/ledger.ts';
import { type MovingAddress, startMovingAddress } from '../support/moving-address.ts';
import { runsPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { fillDatabase } from '../support/postgres-service.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.ts';

let postgres: ReplicatedPostgres;
let address: MovingAddress;
// Each test has its own pair, because a failed test may leave no standby.
beforeEach(async () => {
  postgres = await startReplicatedPostgres();
  address = await startMovingAddress(postgres.url());
});
afterEach(async () => {
  address?.[Symbol.dispose]();
  await postgres?.[Symbol.asyncDispose]();
});

/** The number of connections that a service has. */
const poolSize = 5;

/** The time after which the test cuts the connections of a service that stays with the old primary, so that it ends. */
const patience = 60_000;

/**
 * Starts a service on a database of its own, and signs in people who have keys.
 * @param through the way from the service to the database
 */
async function start(folder: string, keysEach: number, through = (url: string): string => url) {
  const url = address.through(await createOnServer(postgres.url()));
  const { port, query, writers } = await fillDatabase(url, { people: 8, keysEach });
  const service = await startProcess(folder, {
    PORT: `${port}`,
    LOG_LEVEL: 'silent',
    ...unlimited,
    DATABASE_URL: through(url),
    DATABASE_POOL_SIZE: `${poolSize}`,
    DATABASE_STATEMENTS: through(url) === url ? 'named' : 'unnamed',
  });
  await signIn(service, writers);
  return { service, query, writers };
}

type Load = ReturnType<typeof startLoad>;

/** A recovery, in milliseconds from when the new primary could be reached. */
interface Recovery {
  /** Until every writer had another write acknowledged. */
  readonly served: number;
  /** Until the last 503. */
  readonly whole: number;
  /** Whether the test had to cut the connections. */
  readonly wasHelped: boolean;
}

/** Waits until every writer is served again, and then until each was served three times in a row without any 503. */
async function recover(load: Load): Promise<Recovery> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  let wasHelped = false;
  const help = setTimeout(() => {
    wasHelped = true;
    address.cut(1);
  }, patience);
  await load.untilAllAcknowledged();
  const served = since();
  let whole = served;
  for (let clean = 0; clean < 3; clean += 1) {
    const before = load.statuses.get(503);
    await load.untilAllAcknowledged();
    if (load.statuses.get(503) === before) continue;
    whole = since();
    clean = -1;
  }
  clearTimeout(help);
  return { served, whole, wasHelped };
}

/** What must hold at the end of each kind of failover. */
async function conclude(
  what: string,
  { query, writers }: Pick<Awaited<ReturnType<typeof start>>, 'query' | 'writers'>,
  load: Load,
  recoveries: readonly Recovery[],
) {
  await load.stop();
  const lost = await audit(writers, query);
  report(`failover, ${what}`, {
    rounds: recoveries.length,
    acknowledged: acknowledged(writers),
    lost: lost.length,
    'answered 503': load.statuses.get(503) ?? 0,
    'longest outage in ms': load.longestOutage(),
    'every writer served after ms': Math.max(...recoveries.map(({ served }) => served)),
    'no 503 after ms': Math.max(...recoveries.map(({ whole }) => whole)),
    'helped in rounds': recoveries.filter(({ wasHelped }) => wasHelped).length,
  });
  expect(lost).toEqual([]);
  expect(await phantoms(writers, query)).toEqual([]);
  // 200 and 503 with Retry-After, and nothing else: the service itself was there all the time.
  expect(load.unexpected).toEqual([]);
  expect(load.statuses.get(0)).toBeUndefined();
  // A service that stays with the old primary comes back only with help.
  expect(recoveries.filter(({ wasHelped }) => wasHelped)).toEqual([]);
}

it.each([
  { what: 'the old primary is killed', leave: () => postgres.kill(), cut: 0 },
  { what: 'the old primary lives on, read-only', leave: () => postgres.closeToWrites(), cut: 0 },
  { what: 'half of the sessions stay with it', leave: () => postgres.closeToWrites(), cut: 0.5 },
])(
  'loses no acknowledged write when a standby takes over, and recovers by itself: $what',
  async (kind) => {
    const count = rounds(20, 2);
    await using folder = await createTemporaryFolder();
    const started = await start(folder.path, count * 100);
    await using service = started.service;
    const load = startLoad(service.url, started.writers);
    const recoveries: Recovery[] = [];
    for (let round = 0; round < count; round += 1) {
      await load.untilAcknowledged(randomInt(20, 200));
      await kind.leave();
      await load.untilUnavailable(20);
      await postgres.promote();
      address.moveTo(postgres.url());
      address.cut(kind.cut);
      recoveries.push(await recover(load));
      await postgres.renew();
    }
    await conclude(kind.what, started, load, recoveries);
  },
  900_000,
);

describe.runIf(runsPgBouncer)('behind PgBouncer in transaction mode', () => {
  it('loses no acknowledged write when the old primary lives on, and recovers by itself after RECONNECT', async () => {
    const count = rounds(20, 2);
    await using folder = await createTemporaryFolder();
    await using bouncer = await startPgBouncer(folder.path, address.through(postgres.url()), 3);
    const started = await start(folder.path, count * 100, bouncer.through);
    await using service = started.service;
    const load = startLoad(service.url, started.writers);
    const recoveries: Recovery[] = [];
    for (let round = 0; round < count; round += 1) {
      await load.untilAcknowledged(randomInt(20, 200));
      await postgres.closeToWrites();
      await load.untilUnavailable(20);
      await postgres.promote();
      address.moveTo(postgres.url());
      // PgBouncer keeps its connections to the old primary for up to an hour (`server_lifetime`), until an operator
      // tells it to reconnect. The operator needs a moment, and the service must survive that.
      await delay(1000);
      await bouncer.command('RECONNECT');
      recoveries.push(await recover(load));
      await postgres.renew();
    }
    await conclude('the old primary lives on behind PgBouncer', started, load, recoveries);
  }, 900_000);
});

describe('while the only server is read-only', () => {
  it('reads go on and the service is not ready, until a standby takes over', async () => {
    await using folder = await createTemporaryFolder();
    const { service, writers } = await start(folder.path, 1);
    await using _ended = service;
    const [writer] = writers;
    if (!writer) throw new Error('There are no people');
    const isReady = async () => (await fetch(`${service.url}/health/ready`)).status;
    const read = async () => (await send(service.url, writer, 'GET', '/auth/private-key'))?.status;
    const write = async () => (await update(service.url, writer))?.status;
    expect([await isReady(), await read(), await write()]).toEqual([200, 200, 200]);
    await postgres.closeToWrites();
    await expect.poll(isReady, { timeout: patience }).toBe(503);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      expect([await read(), await write()]).toEqual([200, 503]);
    }
    await postgres.promote();
    address.moveTo(postgres.url());
    await expect.poll(isReady, { timeout: patience }).toBe(200);
    expect([await read(), await write()]).toEqual([200, 200]);
  });

  it('a service that only reads follows the address too, and shows no outdated data', async () => {
    await using folder = await createTemporaryFolder();
    const { service, writers, query } = await start(folder.path, 1);
    await using _ended = service;
    const [writer] = writers;
    if (!writer) throw new Error('There are no people');
    const [id] = writer.keys;
    const isActive = async () => {
      const response = await send(service.url, writer, 'GET', `/auth/keys/${id}`);
      const key = (await response?.json()) as { is_active: boolean } | undefined;
      return key?.is_active;
    };
    // One request for each connection at a time: the pool would close idle ones anyway.
    const everyAnswer = () => Promise.all(Array.from({ length: poolSize }, isActive));
    expect(new Set(await everyAnswer())).toEqual(new Set([true]));
    await postgres.closeToWrites();
    await postgres.promote();
    address.moveTo(postgres.url());
    await query(`update api_key set is_active = false where id = ${id}`);
    await expect
      .poll(async () => new Set(await everyAnswer()), { timeout: patience })
      .toEqual(new Set([false]));
  });
});
