// Two accounts, one of which floods; three receivers, of which one behaves; and nodes that are killed meanwhile.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { report } from '../support/ledger.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  freePort,
  type ServiceProcess,
  startProcess,
  unlimited,
} from '../support/process.ts';
import { failures, type Manner, type Received, startReceiver, take } from '../support/webhook-receiver.ts';

const keyCount = 100;
const eventsEach = 100;
const events = keyCount * eventsEach;

/** The most events of others that may come between a change and its event: as many as come in two seconds. */
const mostBetween = 600;

/** A machine that does other things as well makes a start slow. */
const patience = 30_000;

/** Puts an account into an empty database that has changed each of its keys again and again, and nobody was told. */
async function createFlood(url: string): Promise<void> {
  const config = databaseConfig(url);
  await using database = await openDatabase(config);
  await migrate(database, config);
  const { kysely } = new Db(database.em);
  const now = new Date();
  const { id: account } = await kysely
    .insertInto('account')
    .values({ issuer: 'https://id.example.com', subject: 'alice', created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const key = { account_id: account as AccountId, key_prefix: 'sk-a1b2c3', created_at: now };
  const keys = await kysely
    .insertInto('api_key')
    .values(Array.from({ length: keyCount }, () => key))
    .returning('id')
    .execute();
  for (let turn = 0; turn < eventsEach; turn += 1)
    await kysely
      .insertInto('webhook_event')
      .values(
        keys.map(({ id: target }) => ({
          account_id: account as AccountId,
          action: 'api-key-rotated',
          target,
          created_at: new Date(now.getTime() + turn),
        })),
      )
      .execute();
}

/** Refuses a third of what comes. */
const refuseSome: Manner = (response, received) =>
  (randomInt(3) === 0 ? (failures['an error'] as Manner) : take)(response, received);

/** Takes nothing: it speaks another protocol, sends interim answers without end, and says nothing, in turn. */
function alternate(): Manner {
  const manners = ['another protocol', 'hints without end', 'no answer'].map(
    (name) => failures[name] as Manner,
  );
  let turn = 0;
  return (response, received) => {
    turn += 1;
    return manners[turn % manners.length]?.(response, received);
  };
}

const isRotation = ({ event }: Received): boolean => event.type === 'api_key.rotated';

/** The keys whose events a receiver did not take in their order, each event where it was taken first. */
function outOfOrder(taken: readonly Received[]): number[] {
  const [seen, last, wrong] = [new Set<string>(), new Map<number, string>(), new Set<number>()];
  for (const { id, event } of taken.filter(isRotation)) {
    if (seen.has(id)) continue;
    seen.add(id);
    const key = event.data.key_id;
    if ((last.get(key) ?? '') >= event.timestamp) wrong.add(key);
    last.set(key, event.timestamp);
  }
  return [...wrong];
}

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

it.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const)(
  'a receiver that behaves is told of all, in order, and of somebody else at once: %s, nodes: %i',
  async (sort, size) => {
    await using stack = new AsyncDisposableStack();
    const folders = await Promise.all(Array.from({ length: size }, () => createTemporaryFolder()));
    for (const folder of folders) stack.use(folder);
    const [first] = folders;
    const url =
      sort === 'SQLite'
        ? `sqlite:${join(first?.path ?? '', 'keyward.db')}`
        : await createOnServer(postgres.url);
    await createFlood(url);
    const good = stack.use(await startReceiver());
    const others = [
      stack.use(await startReceiver(refuseSome)),
      stack.use(await startReceiver(alternate())),
    ] as const;
    const port = await freePort();
    const env = {
      DATABASE_URL: url,
      LOG_LEVEL: 'error',
      WEBHOOKS: JSON.stringify([good, ...others].map(({ url, secret }) => ({ url, secret }))),
      WEBHOOKS_ALLOW: '127.0.0.1',
      ...unlimited,
    };
    const start = async (node: number) =>
      stack.use(
        await startProcess(
          folders[node]?.path ?? '',
          { ...env, ...(node === 0 && { PORT: `${port}` }) },
          patience,
        ),
      );
    const nodes: ServiceProcess[] = [];
    for (let node = 0; node < size; node += 1) nodes.push(await start(node));

    let changes = 1000;
    /** Somebody else changes one thing, and the receiver that behaves is told. */
    const change = async () => {
      changes += 1;
      const token = await nodes[0]?.token('bob');
      const response = await fetch(`${nodes[0]?.url}/api/v1/automation/settings`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ session_duration: changes }),
      });
      expect(response.status).toBe(200);
      const before = good.all.length;
      const isIt = ({ event: { type, data } }: Received) =>
        type === 'automation_settings.updated' &&
        data.changes.some(({ to }: { to: unknown }) => to === changes);
      await expect.poll(() => good.all.some(isIt), { timeout: 120_000, interval: 5 }).toBe(true);
      return good.all.findIndex(isIt) - before;
    };

    const toldBy = () =>
      new Set(
        good
          .taken()
          .filter(isRotation)
          .map(({ id }) => id),
      ).size;
    const between: number[] = [];
    let kills = 0;
    while (toldBy() < events) {
      if (toldBy() < events * 0.9) between.push(await change());
      await delay(200);
      // Halfway, one node after the other is killed.
      if (kills < size && toldBy() > events / 2) {
        const node = size - 1 - kills;
        kills += 1;
        nodes[node]?.signal('SIGKILL');
        await nodes[node]?.ended;
        nodes[node] = await start(node);
      }
    }
    report(`a flood of ${events} events on ${sort}, nodes: ${size}`, {
      'changes of another': between.length,
      'events in between, at most': Math.max(...between),
      sent: [good, ...others].map(({ all }) => all.length),
      'sent twice to the one that behaves': good.all.length - new Set(good.all.map(({ id }) => id)).size,
    });
    expect(kills).toBe(size);
    expect(between.length).toBeGreaterThan(3);
    expect(Math.max(...between)).toBeLessThanOrEqual(mostBetween);
    expect(toldBy()).toBe(events);
    expect(outOfOrder(good.taken())).toEqual([]);
    expect(outOfOrder(others[0].taken())).toEqual([]);
    expect(others[0].taken().length).toBeGreaterThan(0);
    expect(others[1].all.length).toBeGreaterThan(0);
    expect(others[1].taken()).toEqual([]);
    for (const node of nodes) {
      node.signal('SIGTERM');
      expect((await node.ended).code).toBe(0);
    }
  },
  1_800_000,
);
