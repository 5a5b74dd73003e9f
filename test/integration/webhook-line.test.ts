import { beforeEach, describe, expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { Line } from '../../src/webhooks/sending/line.ts';
import { handOut } from '../../src/webhooks/sending/outbox.ts';
import {
  correctDueTimes,
  findDeliveries,
  giveBack,
  giveUp,
  postpone,
  sendAgain,
  settle,
  type TakenDelivery,
  takeDeliveries,
  tidy,
} from '../../src/webhooks/sending/stored-deliveries.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createConfigured, createDeliveries } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const second = 1000;
const minute = 60 * second;
const db = () => new Db(setup.gateway.database.em);
const line = new Line(() => new Date());
const later = (milliseconds: number) => new Date(Date.now() + milliseconds);

let endpoint: number;
beforeEach(async () => {
  endpoint = await createConfigured(setup, 'https://hooks.example.com/');
});

const find = async (now = new Date()) => [
  ...(await findDeliveries(db(), 'again', { endpoint, now, without: [], most: 100 })),
  ...(await findDeliveries(db(), 'line', { endpoint, now, without: [], most: 100 })),
];

const take = async (now = new Date()) => takeDeliveries(db(), await find(now), now);

/** Records a failed attempt. */
const fail = (taken: TakenDelivery | undefined, next: Date) =>
  postpone(db(), { ...(taken as TakenDelivery), lastOutcome: 'timeout', now: new Date(), next });

/** The deliveries by id. */
const stored = async () =>
  new Map((await setup.gateway.rows('webhook_delivery')).map((row) => [row['id'], row]));

const dueAt = async (id: number | undefined): Promise<number | undefined> => {
  const at = (await stored()).get(id)?.['due_at'];
  return at === null || at === undefined ? undefined : Number(at);
};

const change = (id: number | undefined, values: object) =>
  db()
    .kysely.updateTable('webhook_delivery')
    .set(values)
    .where('id', '=', id ?? 0)
    .execute();

/** Two deliveries of one lane: the second waits for the first. */
async function createLane(): Promise<[number, number]> {
  const [first = 0, next = 0] = await createDeliveries(setup, endpoint, ['waiting', 'waiting']);
  for (const id of [first, next]) await change(id, { lane: 'api-key:1' });
  await change(next, { due_at: null });
  return [first, next];
}

describe('a delivery that a node takes', () => {
  it('belongs to no other node, even if both found it', async () => {
    await createDeliveries(setup, endpoint, ['waiting', 'waiting']);
    const found = await find();
    expect(found).toHaveLength(2);
    expect(await takeDeliveries(db(), found, new Date())).toHaveLength(2);
    expect(await takeDeliveries(db(), found, new Date())).toEqual([]);
    expect(await find()).toEqual([]);
  });

  it('belongs to another node after half a minute; a late failure report is ignored', async () => {
    const [id] = await createDeliveries(setup, endpoint, ['waiting']);
    const [early] = await take();
    expect(await take(later(29 * second))).toEqual([]);
    const [late] = await take(later(31 * second));
    expect(late?.attempts).toBe(2);
    const leased = await dueAt(id);
    await fail(early, later(minute));
    await giveBack(db(), { ...(early as TakenDelivery), now: new Date() });
    expect((await stored()).get(id)).toMatchObject({ attempts: 2, last_outcome: null });
    expect(await dueAt(id)).toBe(leased);
    await giveBack(db(), { ...(late as TakenDelivery), now: new Date() });
    // It counts: the receiver may have taken it.
    expect((await stored()).get(id)).toMatchObject({ attempts: 2, last_outcome: null });
    expect(await find()).toMatchObject([{ id }]);
  });

  it('is delivered if any node reached its endpoint', async () => {
    const [id] = await createDeliveries(setup, endpoint, ['waiting']);
    const [early] = await take();
    await take(later(31 * second));
    await settle(db(), line, early as TakenDelivery, 'status 204');
    const row = (await stored()).get(id);
    expect(row).toMatchObject({ state: 'delivered', last_outcome: 'status 204' });
    const days = (Number(row?.['kept_until']) - Date.now()) / (24 * 60 * minute);
    expect(days).toBeCloseTo(3, 2);
  });

  it('stays abandoned if it was abandoned meanwhile', async () => {
    const [id] = await createDeliveries(setup, endpoint, ['waiting']);
    const [taken] = await take();
    await change(id, { state: 'parked', due_at: null });
    await settle(db(), line, taken as TakenDelivery, 'status 204');
    expect((await stored()).get(id)).toMatchObject({ state: 'parked', last_outcome: null });
  });

  it('is left in line if its endpoint was paused or removed since it was found', async () => {
    await createDeliveries(setup, endpoint, ['waiting']);
    const found = await find();
    for (const column of ['paused_at', 'removed_at'] as const) {
      const set = (value: Date | null) =>
        db()
          .kysely.updateTable('webhook_endpoint')
          .set({ [column]: value })
          .execute();
      await set(new Date());
      expect(await takeDeliveries(db(), found, new Date())).toEqual([]);
      await set(null);
    }
    expect(await takeDeliveries(db(), found, new Date())).toHaveLength(1);
  });
});

describe('the next delivery of a lane', () => {
  it('is sent after the one before it was delivered', async () => {
    const [first, next] = await createLane();
    const [taken] = await take();
    expect(taken?.id).toBe(first);
    expect(await dueAt(next)).toBeUndefined();
    await settle(db(), line, taken as TakenDelivery, 'status 204');
    expect(await dueAt(next)).toBeGreaterThan(Date.now() - minute);
    expect(await find()).toMatchObject([{ id: next }]);
  });

  it('waits while the one before it is tried again', async () => {
    const [first, next] = await createLane();
    const [taken] = await take();
    await fail(taken, later(minute));
    expect(await find()).toEqual([]);
    expect(await find(later(2 * minute))).toMatchObject([{ id: first }]);
    expect(await dueAt(next)).toBeUndefined();
  });

  it('is sent after the one before it is abandoned', async () => {
    const [first, next] = await createLane();
    await change(first, { kept_until: later(-second) });
    expect(await tidy(db(), line)).toBe(1);
    expect((await stored()).get(first)).toMatchObject({ state: 'parked', due_at: null });
    expect(await find()).toMatchObject([{ id: next }]);
  });

  it('waits for an earlier one that is resent', async () => {
    const [first, next] = await createLane();
    await settle(db(), line, (await take())[0] as TakenDelivery, 'status 204');
    const again = { id: first, endpoint, lane: 'api-key:1' };
    expect(await sendAgain(db(), again)).toBe(true);
    expect(await find()).toMatchObject([{ id: first }]);
    expect(await dueAt(next)).toBeUndefined();
    await settle(db(), line, (await take())[0] as TakenDelivery, 'status 204');
    expect(await find()).toMatchObject([{ id: next }]);
  });

  it('is delivered while an earlier one is resent → the earlier one keeps its time', async () => {
    const [first, next] = await createLane();
    await settle(db(), line, (await take())[0] as TakenDelivery, 'status 204');
    const [taken] = await take();
    expect(taken?.id).toBe(next);
    await sendAgain(db(), { id: first, endpoint, lane: 'api-key:1' });
    const [again] = await take();
    expect(again?.id).toBe(first);
    await fail(again, later(minute));
    const due = await dueAt(first);
    await settle(db(), line, taken as TakenDelivery, 'status 204');
    expect((await stored()).get(next)).toMatchObject({ state: 'delivered' });
    expect(await dueAt(first)).toBe(due);
  });
});

it('an erased account → only its erasure is sent', async () => {
  const [, last] = await createDeliveries(setup, endpoint, ['waiting', 'waiting']);
  await change(last, { type: 'account.erased' });
  expect(await find()).toHaveLength(2);
  await db().kysely.updateTable('account').set({ erased_at: new Date() }).execute();
  expect(await find()).toMatchObject([{ id: last }]);
  await db()
    .kysely.updateTable('webhook_delivery')
    .set({ attempts: 1, due_at: later(-second) })
    .execute();
  expect(await find()).toMatchObject([{ id: last }]);
});

it('an erasure does not wait for events that will never be sent', async () => {
  const [blocked = 0] = await createDeliveries(setup, endpoint, ['waiting']);
  const account = Number((await stored()).get(blocked)?.['account_id']) as AccountId;
  const now = new Date();
  const { kysely } = db();
  await change(blocked, { lane: `account:${account}` });
  await kysely.updateTable('account').set({ erased_at: now }).execute();
  const event = { account_id: account, actor: 'operator', action: 'account-erased', created_at: now };
  await kysely.insertInto('webhook_event').values(event).execute();
  await handOut(db(), line);
  const [erased] = await find();
  expect((await stored()).get(erased?.id)).toMatchObject({ type: 'account.erased' });
});

it('skipped accounts are passed over, without a search far behind them', async () => {
  const [one, two, three] = await createDeliveries(setup, endpoint, ['waiting', 'waiting', 'waiting']);
  const other = await setup.gateway.createAccount('other');
  const account = Number((await stored()).get(one)?.['account_id']);
  await change(two, { account_id: other, due_at: later(30 * second) });
  await change(three, { account_id: other, due_at: later(2 * minute) });
  const wanted = { endpoint, now: new Date(), most: 100 };
  expect(await findDeliveries(db(), 'line', { ...wanted, without: [] })).toHaveLength(3);
  expect(await findDeliveries(db(), 'line', { ...wanted, without: [account] })).toMatchObject([{ id: two }]);
});

describe('a delivery whose three days are over', () => {
  it('is not abandoned while it may be on its way, so the next one is not sent beside it', async () => {
    const [first, next] = await createLane();
    const [taken] = await take();
    await change(first, { kept_until: later(-second) });
    expect(await tidy(db(), line)).toBe(0);
    expect(await dueAt(next)).toBeUndefined();
    await settle(db(), line, taken as TakenDelivery, 'status 204');
    expect((await stored()).get(first)).toMatchObject({ state: 'delivered', last_outcome: 'status 204' });
    expect(await find()).toMatchObject([{ id: next }]);
  });

  it('is abandoned after its last attempt, and the next one is sent', async () => {
    const [first, next] = await createLane();
    const [taken] = await take();
    expect(await giveUp(db(), line, taken as TakenDelivery, 'status 500')).toBe(true);
    expect((await stored()).get(first)).toMatchObject({
      state: 'parked',
      last_outcome: 'status 500',
      due_at: null,
    });
    expect(await find()).toMatchObject([{ id: next }]);
  });

  it('is not abandoned by a node that no longer has it', async () => {
    const [first, next] = await createLane();
    const [early] = await take();
    await take(later(31 * second));
    expect(await giveUp(db(), line, early as TakenDelivery, 'status 500')).toBe(false);
    expect((await stored()).get(first)).toMatchObject({ state: 'waiting', last_outcome: null });
    expect(await dueAt(next)).toBeUndefined();
  });
});

describe('tidying up', () => {
  it('abandons all overdue deliveries and deletes all old ones, in any number', async () => {
    const old = await createDeliveries(
      setup,
      endpoint,
      Array.from({ length: 450 }, (_, index) => (index % 2 === 0 ? 'delivered' : 'parked')),
    );
    for (const id of old) await change(id, { kept_until: later(-second) });
    const account = Number([...(await stored()).values()][0]?.['account_id']) as AccountId;
    const waiting = {
      endpoint_id: endpoint,
      account_id: account,
      message: 'msg_1',
      type: 'automation_settings.updated',
      payload: '{}',
      state: 'waiting',
      attempts: 0,
      created_at: new Date(),
    };
    await db()
      .kysely.insertInto('webhook_delivery')
      .values([
        { ...waiting, lane: 'overdue', kept_until: later(-second), due_at: later(-minute) },
        { ...waiting, lane: 'fresh', kept_until: later(minute), due_at: later(-minute) },
      ])
      .execute();
    expect(await tidy(db(), line)).toBe(1);
    const left = [...(await stored()).values()];
    expect(left.map(({ state, lane }) => [lane, state])).toEqual([
      ['overdue', 'parked'],
      ['fresh', 'waiting'],
    ]);
    const days = (Number(left[0]?.['kept_until']) - Date.now()) / (24 * 60 * minute);
    expect(days).toBeCloseTo(30, 2);
  });
});

describe('a new event of a key with a delivery waiting', () => {
  const createWaiting = async (type: string, values: object = {}) => {
    const [id = 0] = await createDeliveries(setup, endpoint, ['waiting']);
    const account = Number((await stored()).get(id)?.['account_id']) as AccountId;
    const key = await setup.gateway.createApiKey(account);
    const payload = JSON.stringify({ type, timestamp: 'T', data: { by: 'owner', changes: [] } });
    await change(id, { lane: `api-key:${key}`, type, payload, ...values });
    const happens = async (action: string) => {
      const event = { account_id: account, action, target: key, created_at: new Date() };
      await db().kysely.insertInto('webhook_event').values(event).execute();
      await handOut(db(), line);
    };
    return { id, happens };
  };

  it('is merged into it if both are updates, and is tried for three days of its own', async () => {
    const { id, happens } = await createWaiting('api_key.updated', { kept_until: later(minute) });
    await happens('api-key-updated');
    const rows = [...(await stored()).values()];
    expect(rows).toHaveLength(1);
    expect(Number((await stored()).get(id)?.['kept_until'])).toBeGreaterThan(Date.now() + 71 * 60 * minute);
  });

  it('moves it forward if the new event is urgent', async () => {
    const inLine = await createWaiting('api_key.rotated', { due_at: later(minute) });
    await inLine.happens('api-key-deactivated');
    expect(await dueAt(inLine.id)).toBeLessThan(Date.now() - minute);
  });

  it('does not change the time of its retry', async () => {
    const at = later(minute);
    const { id, happens } = await createWaiting('api_key.rotated', { attempts: 1, due_at: at });
    await happens('api-key-deactivated');
    expect(await dueAt(id)).toBe(at.getTime());
  });
});

describe('a delivery that an urgent one waits for', () => {
  const urgent = 'api_key.deactivated';

  it('is urgent too', async () => {
    const ids = await createDeliveries(setup, endpoint, ['waiting', 'waiting', 'waiting', 'waiting']);
    const [first, second, third, fourth] = ids;
    for (const id of ids) await change(id, { lane: 'api-key:1' });
    for (const id of [second, third, fourth]) await change(id, { due_at: null });
    await change(third, { type: urgent });
    // The urgent one came while the first was tried again: its place was not changed.
    const [taken] = await take();
    expect(taken?.id).toBe(first);
    await fail(taken, new Date());
    const [again] = await take();
    await settle(db(), line, again as TakenDelivery, 'status 204');
    expect(await dueAt(second)).toBeLessThan(Date.now() - minute);
    await settle(db(), line, (await take())[0] as TakenDelivery, 'status 204');
    expect(await dueAt(third)).toBeLessThan(Date.now() - minute);
    await settle(db(), line, (await take())[0] as TakenDelivery, 'status 204');
    // Nothing urgent waits behind the last one.
    expect(await dueAt(fourth)).toBeGreaterThan(Date.now() - minute);
  });

  it('is not urgent if the urgent one is of another lane or endpoint', async () => {
    const other = await createConfigured(setup, 'https://other.example.com/');
    const ids = await createDeliveries(setup, endpoint, ['waiting', 'waiting', 'waiting', 'waiting']);
    const [first, next, elsewhere, there] = ids;
    for (const id of [first, next, there]) await change(id, { lane: 'api-key:1' });
    for (const id of [next, elsewhere, there]) await change(id, { due_at: null });
    await change(elsewhere, { type: urgent });
    await change(there, { type: urgent, endpoint_id: other });
    const [taken] = await take();
    expect(taken?.id).toBe(first);
    await settle(db(), line, taken as TakenDelivery, 'status 204');
    expect(await dueAt(next)).toBeGreaterThan(Date.now() - minute);
  });
});

it('a time farther ahead than any valid retry → due now', async () => {
  const [one, two, three, four] = await createDeliveries(
    setup,
    endpoint,
    Array.from({ length: 4 }, () => 'waiting' as const),
  );
  const hour = 60 * minute;
  await change(one, { due_at: later(11 * hour) });
  await change(two, { due_at: later(13 * hour) });
  await change(three, { attempts: 1, due_at: later(0.9 * hour) });
  await change(four, { attempts: 1, due_at: later(1.1 * hour) });
  await correctDueTimes(db(), endpoint, new Date(), hour);
  const isFar = async (id: number | undefined) => Number(await dueAt(id)) > Date.now() + minute;
  expect([await isFar(one), await isFar(two), await isFar(three), await isFar(four)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

describe('events that wait to be prepared', () => {
  const createEvents = async (account: AccountId, count: number) => {
    const event = { account_id: account, action: 'automation-settings-updated', created_at: new Date() };
    await db()
      .kysely.insertInto('webhook_event')
      .values(Array.from({ length: count }, () => event))
      .execute();
  };
  const ofAccounts = async () => {
    const rows = await setup.gateway.rows('webhook_delivery');
    return rows.toSorted((a, b) => Number(a['id']) - Number(b['id'])).map((row) => Number(row['account_id']));
  };

  it('of several accounts are prepared in turn', async () => {
    const accounts: AccountId[] = [];
    for (let index = 0; index < 24; index += 1) {
      const account = await setup.gateway.createAccount(`person ${index}`);
      accounts.push(account);
      await createEvents(account, index === 0 ? 500 : 7);
    }
    const fresh = new Line(() => new Date());
    const waits: number[] = [];
    // Ten accounts share a batch of fifty: after three batches, each of them has had a turn.
    for (let batch = 0; batch < 3; batch += 1) {
      expect(await handOut(db(), fresh)).toBe(true);
      waits.push(new Set(await ofAccounts()).size);
    }
    expect(waits).toEqual([10, 20, 24]);
    while (await handOut(db(), fresh));
    const all = await ofAccounts();
    expect(all).toHaveLength(500 + 23 * 7);
    for (const account of accounts.slice(1)) expect(all.filter((each) => each === account)).toHaveLength(7);
    // Who has few events waits for no more than a few of the one with many.
    expect(all.slice(0, 24 * 20).filter((each) => each !== accounts[0])).toHaveLength(23 * 7);
  });

  it('of one account only are all prepared', async () => {
    const account = await setup.gateway.createAccount('alice');
    await createEvents(account, 120);
    expect([await handOut(db(), line), await handOut(db(), line), await handOut(db(), line)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await handOut(db(), line)).toBe(false);
    expect(await ofAccounts()).toHaveLength(120);
  });
});
