import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { failures, startReceiver, take } from '../support/webhook-receiver.ts';
import { createConfigured, createDeliveries, setUpSenders, until } from '../support/webhook-sender.ts';

const setup = setUpGateway();
const send = setUpSenders(setup);

const hour = 60 * 60_000;
const day = 24 * hour;
const rows = (table: string) => setup.gateway.rows(table);
const kysely = () => new Db(setup.gateway.database.em).kysely;
const fail = failures['an error'] ?? take;

/** Makes the last time that is known lie behind: for the service, its clock is ahead by as much. */
const setKnown = (behind: number) =>
  kysely()
    .insertInto('webhook_clock')
    .values({ id: 1, expiries_told_until: new Date(Date.now() - behind) })
    .execute();

const toldUntil = async () => Number((await rows('webhook_clock'))[0]?.['expiries_told_until']);

/** An endpoint with a delivery that nobody took for three days, and a key whose end has come, by this clock. */
async function createOverdue(url: string) {
  const endpoint = await createConfigured(setup, url);
  const [id] = await createDeliveries(setup, endpoint, ['waiting']);
  await kysely()
    .updateTable('webhook_delivery')
    .set({ kept_until: new Date(Date.now() - hour) })
    .execute();
  const account = await setup.gateway.createAccount('alice');
  await setup.gateway.createApiKey(account, { expiresAt: new Date(Date.now() - 3 * day) });
  return { endpoint, id };
}

describe('a start with a clock that is ahead', () => {
  it.each([
    ['four days', 4 * day],
    ['six days', 6 * day],
    ['two hours', 2 * hour],
  ])('%s → no delivery is abandoned, no expiry is announced, and the log says why', async (_what, behind) => {
    const lines: string[] = [];
    await using receiver = await startReceiver(fail);
    await createOverdue(receiver.url);
    await setKnown(behind);
    const known = await toldUntil();
    send({ endpoints: [receiver.config()], lines });
    await until(() => expect(receiver.all.length).toBeGreaterThan(2));
    expect(await rows('webhook_delivery')).toMatchObject([{ state: 'waiting' }]);
    expect(await toldUntil()).toBe(known);
    expect(lines.join()).toContain('the clock jumped far ahead');
    expect(lines.join()).toContain(`"ahead_seconds":${Math.floor(behind / 100_000)}`);
    // It is taken as soon as the receiver takes it.
    receiver.manner = take;
    await until(async () => expect(await rows('webhook_delivery')).toMatchObject([{ state: 'delivered' }]));
  });

  it('no delivery of a paused endpoint is abandoned either', async () => {
    const lines: string[] = [];
    await using receiver = await startReceiver();
    await createOverdue(receiver.url);
    await kysely().updateTable('webhook_endpoint').set({ paused_at: new Date() }).execute();
    await setKnown(4 * day);
    const first = send({ endpoints: [receiver.config()], lines });
    await until(() => expect(lines.join()).toContain('the clock jumped far ahead'));
    await first[Symbol.asyncDispose]();
    expect(await rows('webhook_delivery')).toMatchObject([{ state: 'waiting' }]);
    // By a clock that is right, it is given up.
    await kysely().updateTable('webhook_clock').set({ expiries_told_until: new Date() }).execute();
    send({ endpoints: [receiver.config()] });
    await until(async () => expect(await rows('webhook_delivery')).toMatchObject([{ state: 'parked' }]));
  });

  it('trusts the clock after an hour', async () => {
    await using receiver = await startReceiver();
    await createOverdue(receiver.url);
    await setKnown(4 * day);
    const known = await toldUntil();
    const first = send({ endpoints: [receiver.config()] });
    await until(() => expect(receiver.types()).toHaveLength(1));
    expect(await toldUntil()).toBe(known);
    let passed = 0;
    const { now } = performance;
    using _later = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed);
    passed = hour - 2 * 60_000;
    first.wake();
    await until(async () => expect(await rows('webhook_event')).toEqual([]));
    expect(receiver.types()).not.toContain('api_key.expired');
    passed = hour + 60_000;
    first.wake();
    await until(() => expect(receiver.types()).toContain('api_key.expired'));
    expect(await toldUntil()).toBeGreaterThan(Date.now() - 2 * 60_000);
  });

  it('only half an hour ahead → the clock is trusted', async () => {
    const lines: string[] = [];
    await using receiver = await startReceiver(fail);
    await createOverdue(receiver.url);
    await setKnown(hour / 2);
    send({ endpoints: [receiver.config()], lines });
    await until(async () => expect(await rows('webhook_delivery')).toMatchObject([{ state: 'parked' }]));
    expect(lines.join()).not.toContain('clock');
  });
});

it('a key that expired before there was an endpoint → not announced', async () => {
  await using receiver = await startReceiver();
  await setKnown(hour / 2);
  const account = await setup.gateway.createAccount('alice');
  await setup.gateway.createApiKey(account, { expiresAt: new Date(Date.now() - hour / 4) });
  const before = Date.now();
  send({ endpoints: [receiver.config()] });
  await until(async () => expect(await toldUntil()).toBeGreaterThanOrEqual(before));
  await setup.gateway.rest('PUT', '/automation/settings', {
    token: await setup.sign(),
    json: { is_enabled: true },
  });
  await until(() => expect(receiver.types()).toEqual(['automation_settings.updated']));
});

it('a retry within the longest pause → keeps its time at a start', async () => {
  await using receiver = await startReceiver();
  const endpoint = await createConfigured(setup, receiver.url);
  const [later = 0] = await createDeliveries(setup, endpoint, ['waiting', 'waiting']);
  const due_at = new Date(Date.now() + 55_000);
  await kysely()
    .updateTable('webhook_delivery')
    .set({ attempts: 3, due_at })
    .where('id', '=', later)
    .execute();
  send({ endpoints: [receiver.config()], longestRetry: 60_000 });
  await until(() => expect(receiver.taken()).toHaveLength(1));
  const row = (await rows('webhook_delivery')).find(({ id }) => id === later);
  expect(row).toMatchObject({ state: 'waiting', attempts: 3 });
  expect(Number(row?.['due_at'])).toBe(due_at.getTime());
});

it('without an endpoint → waiting events are deleted', async () => {
  const account = await setup.gateway.createAccount('alice');
  const event = { account_id: account, action: 'automation-settings-updated', created_at: new Date() };
  await kysely().insertInto('webhook_event').values(event).execute();
  send({ isAdministered: false });
  await until(async () => expect(await rows('webhook_event')).toEqual([]));
  expect(await rows('webhook_delivery')).toEqual([]);
});

describe('a clock that was days ahead before', () => {
  it('is noticed at a start, so expiries can be announced again', async () => {
    const lines: string[] = [];
    await using receiver = await startReceiver();
    await createConfigured(setup, receiver.url);
    await setKnown(-6 * day);
    send({ endpoints: [receiver.config()], lines });
    await until(async () => expect(await toldUntil()).toBeLessThanOrEqual(Date.now()));
    expect(lines.join()).toContain('the clock was set back');
  });

  it('does not delay retries', async () => {
    await using receiver = await startReceiver();
    const endpoint = await createConfigured(setup, receiver.url);
    await createDeliveries(setup, endpoint, ['waiting']);
    await kysely()
      .updateTable('webhook_delivery')
      .set({ attempts: 3, due_at: new Date(Date.now() + 4 * day) })
      .execute();
    send({ endpoints: [receiver.config()] });
    await until(() => expect(receiver.taken()).toHaveLength(1));
  });
});
