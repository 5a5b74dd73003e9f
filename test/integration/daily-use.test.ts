import { setImmediate } from 'node:timers/promises';
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
    [first, '2026-03-20T02:00:00Z', 'expired', 1],
    [first, '2026-03-07T01:00:00Z', 'expired', 1],
    [first, '2026-03-19T23:00:00Z', 'valid', 11],
    [first, '2026-03-07T00:00:00Z', 'inactive', 13],
    // A day too early.
    [first, '2026-03-06T23:00:00Z', 'valid', 17],
    [second, '2026-03-08T12:00:00Z', 'valid', 2_147_483_647],
    [second, '2026-03-08T13:00:00Z', 'valid', 1],
  ]);
  const query = '{ apiKeys { edges { node { id dailyUse { allowed refused reasons } } } } }';
  const { body } = await setup.gateway.graphql(query, { token: await setup.sign() });
  const found = new Map<number, object>(
    body.data.apiKeys.edges.map(({ node }: { node: { id: number; dailyUse: object } }) => [
      node.id,
      node.dailyUse,
    ]),
  );
  const zeros = (count: number) => Array.from({ length: count }, () => 0);
  expect(found.get(first)).toEqual({
    allowed: [...zeros(12), 11, 7],
    refused: [14, ...zeros(12), 8],
    reasons: ['inactive', 'expired', 'rate_limited'],
  });
  expect(found.get(second)).toEqual({
    allowed: [0, 2_147_483_647, ...zeros(12)],
    refused: zeros(14),
    reasons: [],
  });
  expect(found.get(third)).toEqual({ allowed: zeros(14), refused: zeros(14), reasons: [] });
});

it('lets others have their turn between two keys', async () => {
  const alice = await setup.gateway.createAccount('alice');
  const ids: number[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await setup.gateway.createApiKey(alice));
  const db = new Db(setup.gateway.database.em);
  let isOver = false;
  const reads = Promise.all(ids.map((id) => dailyUseOf(db, id))).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  expect(await reads).toHaveLength(20);
  // PostgreSQL answers all in one statement, and not within the call.
  if (!isForPostgres(db.kysely)) expect(turns).toBeGreaterThanOrEqual(20);
});

it('is left out of the records of REST', async () => {
  await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'));
  expect((await setup.call('GET', '/auth/keys/1')).body).not.toHaveProperty('daily_use');
});
