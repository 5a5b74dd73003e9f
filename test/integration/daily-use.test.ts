import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dailyUseOf } from '../../src/api-keys/usage/daily-use.ts';
import { Db, isForPostgres } from '../../src/database/db.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-20T08:00:00.000Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const none = { allowed: 0, refused: 0 };

it('counts the last 14 days of each key in UTC, the oldest first and today last', async () => {
  const alice = await setup.gateway.createAccount('alice');
  const [first, second, third] = [
    await setup.gateway.createApiKey(alice),
    await setup.gateway.createApiKey(alice),
    await setup.gateway.createApiKey(alice),
  ];
  await setup.gateway.createUses([
    [first, '2026-03-20T07:00:00Z', 'valid', 5],
    [first, '2026-03-20T00:00:00Z', 'valid', 2],
    [first, '2026-03-20T00:00:00Z', 'expired', 3],
    [first, '2026-03-20T01:00:00Z', 'rate_limited', 4],
    [first, '2026-03-19T23:00:00Z', 'valid', 11],
    [first, '2026-03-07T00:00:00Z', 'inactive', 13],
    // A day too early.
    [first, '2026-03-06T23:00:00Z', 'valid', 17],
    [second, '2026-03-08T12:00:00Z', 'valid', 2_147_483_647],
    [second, '2026-03-08T13:00:00Z', 'valid', 1],
  ]);
  const query = '{ apiKeys { edges { node { id dailyUse { allowed refused } } } } }';
  const { body } = await setup.gateway.graphql(query, { token: await setup.sign() });
  const found = new Map<number, object[]>(
    body.data.apiKeys.edges.map(({ node }: { node: { id: number; dailyUse: object[] } }) => [
      node.id,
      node.dailyUse,
    ]),
  );
  expect(found.get(first)).toEqual([
    { allowed: 0, refused: 13 },
    ...Array.from({ length: 11 }, () => none),
    { allowed: 11, refused: 0 },
    { allowed: 7, refused: 7 },
  ]);
  expect(found.get(second)?.[1]).toEqual({ allowed: 2_147_483_647, refused: 0 });
  expect(found.get(third)).toEqual(Array.from({ length: 14 }, () => none));
});

it('lets others have their turn between two keys', async () => {
  const alice = await setup.gateway.createAccount('alice');
  const ids: number[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await setup.gateway.createApiKey(alice));
  const db = new Db(setup.gateway.database.em);
  const order: string[] = [];
  const reads = ids.map((id) => dailyUseOf(db, id).then(() => order.push('read')));
  await new Promise((resolve) => setTimeout(resolve)).then(() => order.push('other'));
  await Promise.all(reads);
  if (isForPostgres(db.kysely)) return expect(order).toHaveLength(21);
  expect(order.indexOf('other')).toBeLessThan(20);
});

it('is left out of the records of REST', async () => {
  await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'));
  expect((await setup.call('GET', '/auth/keys/1')).body).not.toHaveProperty('daily_use');
});
