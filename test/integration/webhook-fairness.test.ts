import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import type { Change } from '../../src/observability/events.ts';
import type { Webhooks } from '../../src/webhooks/sending/webhooks.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import {
  failures,
  type Manner,
  type Received,
  type Receiver,
  startReceiver,
  take,
} from '../support/webhook-receiver.ts';
import { setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const { 'an error': refuse = take, 'no answer': hang = take } = failures;
const rows = (table: string) => setup.gateway.rows(table);
const kysely = () => new Db(setup.gateway.database.em).kysely;

const waiting = async () => (await rows('webhook_delivery')).filter(({ state }) => state === 'waiting');

const call = async (method: string, path: string, json?: object, sub = 'alice') =>
  setup.gateway.rest(method, path, { token: await setup.sign({ sub }), ...(json && { json }) });

const createKey = async (sub = 'alice', name = 'name'): Promise<number> =>
  (await call('POST', '/auth/keys', { name }, sub)).body.id;

/** An account with some keys, about each of which something has happened that no receiver was told of. */
async function createBacklog(subject: string, keys: number, eventsEach = 1) {
  const account = await setup.gateway.createAccount(subject);
  const ids: number[] = [];
  for (let index = 0; index < keys; index += 1) ids.push(await setup.gateway.createApiKey(account));
  const event = { account_id: account as AccountId, action: 'api-key-rotated', created_at: new Date() };
  for (let turn = 0; turn < eventsEach; turn += 1)
    await kysely()
      .insertInto('webhook_event')
      .values(ids.map((target) => ({ ...event, target })))
      .execute();
  return { account, keys: new Set(ids) };
}

/** Answers about some keys in one manner, and takes all else. */
const badFor =
  (keys: ReadonlySet<number>, manner: Manner): Manner =>
  (response, received) =>
    (keys.has(received.event.data.key_id) ? manner : take)(response, received);

/** Starts to send to a receiver, which is known when this resolves. */
async function start(
  receiver: Receiver,
  options: Pick<NonNullable<Parameters<typeof send>[0]>, 'poll' | 'firstRetry' | 'longestRetry'> = {},
): Promise<Webhooks> {
  const webhooks = send({ endpoints: [receiver.config()], timeout: 60_000, ...options });
  await until(async () => expect(await rows('webhook_endpoint')).not.toEqual([]));
  return webhooks;
}

describe.each([
  ['are refused', refuse],
  ['hang', hang],
])('events that %s', (_how, manner) => {
  it("do not delay other accounts' events", async () => {
    const { keys } = await createBacklog('alice', 200);
    await using receiver = await startReceiver();
    receiver.manner = badFor(keys, manner);
    await start(receiver);
    await until(() => expect(receiver.all.length).toBeGreaterThanOrEqual(8));
    for (let turn = 0; turn < 5; turn += 1) {
      const before = receiver.all.length;
      const id = await createKey('bob');
      await until(() => expect(receiver.taken().map(({ event }) => event.data.key_id)).toContain(id));
      const between = receiver.all
        .slice(before)
        .findIndex(({ event, isTaken }) => isTaken && event.data.key_id === id);
      // What was on its way, and what took a free place at the same time.
      expect(between).toBeLessThanOrEqual(100);
    }
    expect(receiver.taken().every(({ event }) => !keys.has(event.data.key_id))).toBe(true);
  });
});

it('an endpoint that hangs has at most 64 attempts open, at most eight for one account', async () => {
  for (let index = 0; index < 12; index += 1) await createBacklog(`person ${index}`, 20);
  let open = 0;
  let most = 0;
  const ofAccount = new Map<number, number>();
  await using receiver = await startReceiver((response, { event }) => {
    const { user_id } = event.data;
    const count = (step: number) => {
      open += step;
      ofAccount.set(user_id, (ofAccount.get(user_id) ?? 0) + step);
      most = Math.max(most, ...ofAccount.values());
    };
    count(1);
    response.on('close', () => count(-1));
  });
  // Nothing but an attempt that is slow makes room here.
  await start(receiver, { poll: 60_000 });
  await until(() => expect(open).toBe(64));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(8);
});

it('an endpoint that fails is tried once a second, and gets all events when it recovers', async () => {
  for (let index = 0; index < 10; index += 1) await createBacklog(`person ${index}`, 8);
  await using receiver = await startReceiver(refuse);
  await start(receiver, { poll: 60_000 });
  await until(() => expect(receiver.all.length).toBeGreaterThanOrEqual(50));
  // From here on there is one attempt a second.
  await delay(500);
  expect(receiver.all.length).toBeLessThan(80);
  receiver.manner = take;
  await until(async () => expect(await waiting()).toEqual([]));
  expect(receiver.taken()).toHaveLength(80);
});

it('the first retry comes after the first pause, or up to a quarter sooner', async () => {
  await createBacklog('alice', 1);
  await using receiver = await startReceiver(refuse);
  await start(receiver, { firstRetry: 10_000, longestRetry: 60_000 });
  await until(async () => {
    const [row] = await waiting();
    expect(row).toMatchObject({ attempts: 1, last_outcome: 'status 500' });
  });
  const [row] = await waiting();
  const pause = Number(row?.['due_at']) - Number(row?.['last_attempt_at']);
  expect(pause).toBeGreaterThanOrEqual(7500);
  expect(pause).toBeLessThanOrEqual(10_000);
});

it("a burst of one account does not delay another account's event", async () => {
  const { keys } = await createBacklog('alice', 30, 10);
  const { promise: answering, resolve: answer } = Promise.withResolvers<void>();
  await using receiver = await startReceiver((response, received) => {
    void answering.then(() => setTimeout(() => take(response, received), 10));
  });
  await start(receiver);
  const areAllPlanned = () => until(async () => expect(await rows('webhook_event')).toEqual([]));
  await areAllPlanned();
  const id = await createKey('bob');
  await areAllPlanned();
  const before = receiver.all.length;
  answer();
  await until(() => expect(receiver.all.map(({ event }) => event.data.key_id)).toContain(id));
  const ofBob = receiver.all.findIndex(({ event }) => event.data.key_id === id);
  expect(ofBob - before).toBeLessThan(60);
  await until(async () => expect(await waiting()).toEqual([]));
  const ofAlice = receiver.all.filter(({ event }) => keys.has(event.data.key_id));
  expect(ofAlice).toHaveLength(300);
});

it('events that end a right are sent first, with the events they wait for', async () => {
  const { keys } = await createBacklog('alice', 40, 5);
  await using receiver = await startReceiver(hang);
  const first = await start(receiver);
  await until(async () => expect(await rows('webhook_event')).toEqual([]));
  await until(() => expect(receiver.all).toHaveLength(8));
  // Its key is one of the last in line.
  const told = new Set(receiver.all.map(({ event }) => event.data.key_id));
  const ended = [...keys].findLast((id) => !told.has(id)) ?? 0;
  expect((await call('DELETE', `/auth/keys/${ended}`)).status).toBe(200);
  await until(async () => {
    const [, , , , , last] = (await waiting()).filter(({ lane }) => lane === `api-key:${ended}`);
    expect(last).toMatchObject({ type: 'api_key.deactivated' });
  });
  await first[Symbol.asyncDispose]();
  const before = receiver.all.length;
  receiver.manner = take;
  await start(receiver);
  await until(async () => expect(await waiting()).toEqual([]));
  const types = receiver.all.slice(before).map(({ event }) => [event.data.key_id, event.type]);
  const place = types.findIndex(([id, type]) => id === ended && type === 'api_key.deactivated');
  expect(types.filter(([id]) => id === ended)).toHaveLength(6);
  // Each of the five before it took a turn, with a few others beside it. By its place in line, it would come last.
  expect(place).toBeGreaterThanOrEqual(5);
  expect(place).toBeLessThan(types.length / 2);
});

it('events are sent while others are still being prepared', async () => {
  await createBacklog('alice', 50, 40);
  let left: number | undefined;
  await using receiver = await startReceiver((response, received) => {
    if (left === undefined) {
      left = -1;
      void rows('webhook_event').then((found) => {
        left = found.length;
      });
    }
    take(response, received);
  });
  await start(receiver);
  await until(() => expect(left).toBeGreaterThan(1000));
});

describe('unsent updates of one key', () => {
  const updatesOf = (received: readonly Received[]) =>
    received.filter(({ event }) => event.type === 'api_key.updated').map(({ event }) => event.data);

  it('are merged into one; other events stay', async () => {
    await using receiver = await startReceiver();
    const id = await createKey();
    // Nobody sends yet.
    await start(receiver);
    await kysely().updateTable('webhook_endpoint').set({ paused_at: new Date() }).execute();
    for (const json of [
      { name: 'one', permissions: ['a', 'b'] },
      { name: 'two', permissions: ['b', 'c'] },
      { name: 'three', permissions: ['c', 'a'] },
    ]) {
      expect((await call('PATCH', `/auth/keys/${id}`, json)).status).toBe(200);
      await until(async () => expect(await rows('webhook_event')).toEqual([]));
    }
    expect(await waiting()).toMatchObject([{ type: 'api_key.updated', attempts: 0 }]);
    await call('POST', `/auth/keys/${id}/rotate`, {});
    await until(async () => expect(await waiting()).toHaveLength(2));
    await call('PATCH', `/auth/keys/${id}`, { name: 'four' });
    await until(async () => expect(await waiting()).toHaveLength(3));
    await kysely().updateTable('webhook_endpoint').set({ paused_at: null }).execute();
    await until(() => expect(receiver.taken()).toHaveLength(3));
    expect(receiver.types()).toEqual(['api_key.updated', 'api_key.rotated', 'api_key.updated']);
    const [first, second] = updatesOf(receiver.taken());
    const byField = ({ changes }: { changes: Change[] }) =>
      Object.fromEntries(changes.map(({ field, from, to }) => [field, [from, to]]));
    expect(byField(first)).toEqual({ name: ['name', 'three'], permissions: [[], ['c', 'a']] });
    expect(first.name).toBe('three');
    expect(byField(second)).toEqual({ name: ['three', 'four'] });
  });

  it('are not merged after an attempt of the first', async () => {
    await using receiver = await startReceiver(hang);
    const id = await createKey();
    await start(receiver);
    await call('PATCH', `/auth/keys/${id}`, { name: 'one' });
    await until(() => expect(receiver.all).toHaveLength(1));
    await call('PATCH', `/auth/keys/${id}`, { name: 'two' });
    await until(async () => expect(await waiting()).toHaveLength(2));
  });
});
