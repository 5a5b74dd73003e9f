import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { startFaultyNetwork } from '../support/faulty-network.ts';
import {
  audit,
  phantoms,
  type Query,
  report,
  rounds,
  send,
  signIn,
  startLoad,
  type Writer,
} from '../support/ledger.ts';
import { fillDatabase, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

type Network = Awaited<ReturnType<typeof startFaultyNetwork>>;

interface Started {
  readonly service: ServiceProcess;
  readonly network: Network;
  readonly writers: readonly Writer[];
  readonly writer: Writer;
  /** Asks the database beside the service, and not by way of the network. */
  readonly query: Query;
}

/** A service behind a network that fails, on a database with people in it. */
async function start(people: number, env: Record<string, string> = {}, server = inject('postgresUrl') ?? '') {
  const url = await createOnServer(server);
  const { port, query, writers } = await fillDatabase(url, { people, keysEach: 0 });
  const network = stack.use(await startFaultyNetwork(url));
  const folder = stack.use(await createTemporaryFolder());
  const service = stack.use(
    await startProcess(folder.path, {
      PORT: `${port}`,
      DATABASE_URL: network.through(url),
      DATABASE_POOL_SIZE: '5',
      ...unlimited,
      ...env,
    }),
  );
  await signIn(service, writers);
  return { service, network, writers, writer: writers[0] as Writer, query } satisfies Started;
}

const duration = async (query: Query) =>
  (await query('select session_duration from automation_settings'))[0]?.['session_duration'];

/** How many changes of the settings are written down. */
const recorded = async (query: Query) =>
  (await query("select 1 from audit_event where action = 'automation-settings-updated'")).length;

const put = async ({ service, writer }: Started, session_duration: number) => {
  const response = await send(service.url, writer, 'PUT', '/automation/settings', { session_duration });
  return { status: response?.status, body: await response?.json() };
};

it('drops stalled connections at their first timeout, and recovers', async () => {
  const outages: number[] = [];
  const started = await start(8, { LOG_LEVEL: 'silent' });
  const { service, network, writers, query } = started;
  const load = startLoad(service.url, writers);
  for (let round = 0; round < rounds(10, 1); round += 1) {
    await load.untilAcknowledged(50);
    network.swallow(true);
    await delay(3000);
    network.swallow(false);
    const endedAt = performance.now();
    await load.untilAllAcknowledged();
    outages.push(Math.round(performance.now() - endedAt));
  }
  await load.stop();
  report("PostgreSQL's host away for 3 s", {
    rounds: outages.length,
    'whole again after ms': Math.max(...outages),
  });
  expect(await audit(writers, query)).toEqual([]);
  expect(await phantoms(writers, query)).toEqual([]);
  expect(load.unexpected).toEqual([]);
});

const unavailable = { status: 503, body: { detail: 'Service Unavailable' } };
const unknown = { status: 503, body: { detail: 'It is not known whether the change was made' } };

describe('a stalled change', () => {
  const quick = { DATABASE_STATEMENT_TIMEOUT: '1', DATABASE_IDLE_TRANSACTION_TIMEOUT: '4' };

  it.each([
    ['BEGIN', 0, unavailable],
    ['the lock', 1, unavailable],
    ['the change', 2, unavailable],
    ['COMMIT', 3, unknown],
  ])('at %s overwrites nothing that is acknowledged after its answer', async (_what, pieces, answer) => {
    const started = await start(1, quick);
    const { network, query } = started;
    expect(await put(started, 60)).toMatchObject({ status: 200 });
    network.stallAfter(pieces, 'to the server');
    expect(await put(started, 100)).toEqual(answer);
    // Closed in the usual way, the connection would have the system send later what it still holds back.
    await expect.poll(network.stalled).toSatisfy((ended) => ended.length > 0 && !ended.includes(false));
    expect(await put(started, 200)).toMatchObject({ status: 200 });
    network.resume();
    await delay(1000);
    expect(await duration(query)).toBe(200);
    expect(await recorded(query)).toBe(2);
  });

  it('whose COMMIT succeeded is reported as unknown', async () => {
    const started = await start(1, quick);
    expect(await put(started, 60)).toMatchObject({ status: 200 });
    started.network.stallAfter(3, 'to the client');
    expect(await put(started, 100)).toEqual(unknown);
    expect(await duration(started.query)).toBe(100);
    expect(await put(started, 100)).toMatchObject({ status: 200, body: { session_duration: 100 } });
  });

  it('is reported as unknown in GraphQL, with a code of its own', async () => {
    const { service, network, writer } = await start(1, quick);
    const mutate = async (seconds: number) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${writer.token}`,
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
        },
        body: JSON.stringify({
          query: `mutation { updateAutomationSettings(sessionDuration: ${seconds}) { userId } }`,
        }),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await mutate(60)).toMatchObject({ status: 200 });
    network.stallAfter(3, 'to the client');
    expect(await mutate(61)).toMatchObject({
      status: 503,
      body: { errors: [{ message: unknown.body.detail, extensions: { code: 'OUTCOME_UNKNOWN' } }] },
    });
  });

  it('is not made after its deadline, however long a statement may take', async () => {
    const started = await start(1, { DATABASE_STATEMENT_TIMEOUT: '60', HTTP_ANSWER_TIMEOUT: '2' });
    const { query } = started;
    expect(await put(started, 60)).toMatchObject({ status: 200 });
    const change = delay(500).then(() => put(started, 100));
    await query('do $$ begin update automation_settings set id = id; perform pg_sleep(3); end $$');
    expect(await change).toEqual(unavailable);
    await delay(500);
    expect(await duration(started.query)).toBe(60);
    expect(await recorded(started.query)).toBe(1);
  });
});

it('recovers from a frozen PostgreSQL, also without requests', async () => {
  const postgres = stack.use(await startOwnPostgres());
  const started = await start(1, {}, postgres.url);
  expect(await put(started, 60)).toMatchObject({ status: 200 });
  const frozen = await postgres.freeze();
  await delay(rounds(12_000, 8_500));
  frozen.resume();
  const thawedAt = performance.now();
  await expect.poll(async () => (await put(started, 100)).status, { timeout: 60_000 }).toBe(200);
  report('PostgreSQL frozen, a quiet node', {
    'served again after ms': Math.round(performance.now() - thawedAt),
  });
});
