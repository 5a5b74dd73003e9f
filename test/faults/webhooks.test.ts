import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import {
  acknowledged,
  audit,
  type Query,
  report,
  rounds,
  signIn,
  startLoad,
  type Writer,
} from '../support/ledger.ts';
import { fillDatabase, type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';
import { failures, type Received, type Receiver, startReceiver, take } from '../support/webhook-receiver.ts';

const people = 8;

/** A machine that does other things as well makes one of many starts slow. */
const patience = 30_000;

/** Fails in one way now and then, and hangs up at times after it has taken an event. */
const moody =
  (fail: (typeof failures)[string]): typeof take =>
  (response, received) => {
    if (randomInt(5) === 0) return fail(response, received);
    if (randomInt(10) > 0) return take(response, received);
    received.isTaken = true;
    response.socket?.destroy();
  };

/** Receivers that fail, each in its own way, and one that does not. */
async function startReceivers(stack: AsyncDisposableStack) {
  const receivers: Receiver[] = [stack.use(await startReceiver())];
  for (const fail of Object.values(failures)) receivers.push(stack.use(await startReceiver(moody(fail))));
  const endpoints = receivers.map(({ url, secret }) => ({ url, secret }));
  const env = { WEBHOOKS: JSON.stringify(endpoints), WEBHOOKS_ALLOW: '127.0.0.1' };
  return { receivers, env };
}

/** Waits until something holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('It does not come to its end');
    await delay(100);
  }
}

const countOf = async (query: Query, table: string): Promise<number> => {
  const [row] = await query(`select count(*) as count from ${table}`);
  return Number(row?.['count']);
};

/** What happened, by what it happened to, in its order: a key, or the settings of an account. */
async function happened(query: Query): Promise<Map<string, string[]>> {
  const rows = await query(
    "select account_id, action, target from audit_event where action <> 'account-created' order by id",
  );
  const types: Record<string, string> = {
    'api-key-deactivated': 'api_key.deactivated',
    'automation-settings-updated': 'automation_settings.updated',
  };
  const lanes = new Map<string, string[]>();
  for (const { account_id, action, target } of rows) {
    const lane = target === null ? `account ${account_id}` : `key ${target}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), `${types[`${action}`]}`]);
  }
  return lanes;
}

const laneOf = ({ event: { data } }: Received): string =>
  data.key_id === undefined ? `account ${data.user_id}` : `key ${data.key_id}`;

/** What a receiver has taken of each lane, each event once, where it was taken first. */
function told(receiver: Receiver) {
  const lanes = new Map<string, Received[]>();
  const ids = new Set<string>();
  for (const received of receiver.taken()) {
    if (ids.has(received.id)) continue;
    ids.add(received.id);
    lanes.set(laneOf(received), [...(lanes.get(laneOf(received)) ?? []), received]);
  }
  return lanes;
}

/** Compares what receivers were told with what happened; a sentence for each difference. */
async function compare(receivers: readonly Receiver[], query: Query): Promise<string[]> {
  const truth = await happened(query);
  return receivers.flatMap((receiver, index) => {
    const lanes = told(receiver);
    const strange = [...lanes.keys()].filter((lane) => !truth.has(lane));
    const others = [...truth].flatMap(([lane, types]) => {
      const events = (lanes.get(lane) ?? []).map(({ event }) => event);
      const times = events.map(({ timestamp }) => timestamp);
      const same = `${events.map(({ type }) => type)}` === `${types}`;
      const inOrder = `${times}` === `${times.toSorted()}`;
      return same && inOrder ? [] : [`receiver ${index}, ${lane}: ${events.length} of ${types.length}`];
    });
    return [...strange.map((lane) => `receiver ${index}: nothing happened to ${lane}`), ...others];
  });
}

interface Proof {
  readonly what: string;
  readonly count: number;
  readonly writers: readonly Writer[];
  readonly query: Query;
  readonly databaseUrl: string;
  /** Starts the node that is written to, or another. */
  start(node: number): Promise<ServiceProcess>;
  readonly nodes: number;
  readonly receivers: readonly Receiver[];
}

/** Kills nodes under load, again and again; then all receivers behave, and everything must come. */
async function prove({ what, count, writers, query, databaseUrl, start, nodes, receivers }: Proof) {
  await using stack = new AsyncDisposableStack();
  const running: ServiceProcess[] = [];
  for (let node = 0; node < nodes; node += 1) running.push(stack.use(await start(node)));
  const first = () => running[0] as ServiceProcess;
  await until(async () => (await countOf(query, 'webhook_endpoint')) === receivers.length);
  const unexpected: string[] = [];
  for (let round = 0; round < count; round += 1) {
    await signIn(first(), writers);
    const load = startLoad(first().url, writers);
    await load.untilAcknowledged(randomInt(5, 60));
    const victim = round % nodes;
    running[victim]?.signal('SIGKILL');
    if (victim > 0) await load.untilAcknowledged(5);
    await Promise.all([load.stop(), running[victim]?.ended]);
    unexpected.push(...load.unexpected);
    running[victim] = stack.use(await start(victim));
  }
  const waiting = await countOf(query, "webhook_delivery where state = 'waiting'");
  for (const service of running) {
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
  }
  // What is due within half an hour is due now.
  for (const receiver of receivers) receiver.manner = take;
  {
    await using database = await openDatabase(databaseConfig(databaseUrl));
    await new Db(database.em).kysely
      .updateTable('webhook_delivery')
      .set({ due_at: new Date() })
      .where('due_at', 'is not', null)
      .execute();
  }
  for (let node = 0; node < nodes; node += 1) stack.use(await start(node));
  await until(
    async () =>
      (await countOf(query, 'webhook_event')) +
        (await countOf(query, "webhook_delivery where state = 'waiting'")) ===
      0,
  );
  const lost = await audit(writers, query);
  const differences = await compare(receivers, query);
  report(what, {
    rounds: count,
    acknowledged: acknowledged(writers),
    receivers: receivers.length,
    'waiting at the end of the kills': waiting,
    events: [...(await happened(query)).values()].flat().length,
    sent: receivers.map(({ all }) => all.length),
    lost: lost.length,
    differences: differences.length,
  });
  expect(lost).toEqual([]);
  expect(differences).toEqual([]);
  expect(unexpected).toEqual([]);
  expect(receivers.reduce((sum, { unverified }) => sum + unverified, 0)).toBe(0);
}

it('announce each change at least once, in order, and nothing else, when the node on SQLite is killed', async () => {
  const count = rounds(50, 5);
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder());
  const file = join(folder.path, 'data', 'keyward.db');
  const { port, query, writers } = await createSqliteFile(file, { people, keysEach: count * 20 });
  const { receivers, env } = await startReceivers(stack);
  await prove({
    what: 'webhooks and kill -9 on SQLite',
    count,
    writers,
    query,
    databaseUrl: `sqlite:${file}`,
    nodes: 1,
    receivers,
    start: () =>
      startProcess(folder.path, { PORT: `${port}`, LOG_LEVEL: 'error', ...unlimited, ...env }, patience),
  });
}, 1_800_000);

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

it('announce each change at least once, in order, and nothing else, when nodes on PostgreSQL are killed', async () => {
  const count = rounds(50, 6);
  await using stack = new AsyncDisposableStack();
  const folders = [stack.use(await createTemporaryFolder()), stack.use(await createTemporaryFolder())];
  const databaseUrl = await createOnServer(postgres.url);
  const { port, query, writers } = await fillDatabase(databaseUrl, { people, keysEach: count * 20 });
  const { receivers, env } = await startReceivers(stack);
  await prove({
    what: 'webhooks and kill -9 of two nodes on PostgreSQL',
    count,
    writers,
    query,
    databaseUrl,
    nodes: 2,
    receivers,
    start: (node) =>
      startProcess(
        folders[node]?.path ?? '',
        {
          ...(node === 0 && { PORT: `${port}` }),
          LOG_LEVEL: 'error',
          DATABASE_URL: databaseUrl,
          DATABASE_POOL_SIZE: '5',
          ...unlimited,
          ...env,
        },
        patience,
      ),
  });
}, 1_800_000);
