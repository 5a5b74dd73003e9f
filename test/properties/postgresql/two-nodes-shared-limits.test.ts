import { expect, it } from 'vitest';
import type { AccountId, ApiKey } from '../../../src/database/tables.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { plansOf } from '../../support/plans.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes({
  plans: plansOf({
    quota: { quota: { limit: 300, refill: 'never' } },
    large: { quota: { limit: 1000, refill: 'never' } },
    rate: { rate_limit: { limit: 60, window_seconds: 600 } },
    both: { rate_limit: { limit: 60, window_seconds: 600 }, quota: { limit: 1000, refill: 'never' } },
  }),
});

interface Key {
  readonly id: number;
  readonly secret: string;
  /** The units that were granted. */
  granted: number;
}

/** The limits of a key; a quota is of so many units, and never refilled. */
type Limits = Partial<ApiKey> & { readonly quota?: number };

let accounts = 0;

/** An account with a plan, and keys of its own. Rates are counted in memory, by id: each account has an id of its own. */
async function createKeys(plan: string, limits: readonly Limits[]) {
  const [one] = setup.nodes;
  accounts += 1;
  for (let filler = 0; filler < accounts; filler += 1) {
    const account = await one.createAccount(`filler ${filler}`);
    for (let index = 0; index < 10; index += 1) await one.createApiKey(account);
  }
  const account = await one.createAccount('alice');
  await execute(`update account set plan = '${plan}' where id = ${account}`);
  const keys: Key[] = [];
  for (const { quota, ...values } of limits) {
    const key = await one.createVerifiableKey(account, values);
    if (quota !== undefined) await one.createQuota(key.id, { units: quota });
    keys.push({ ...key, granted: 0 });
  }
  return { account, keys };
}

const execute = (sql: string) => setup.nodes[0].database.em.getConnection().execute(sql);

const giveBack = async () => {
  for (const node of setup.nodes) {
    await node.keyQuotas.giveBack();
    await node.accountQuotas.giveBack();
  }
};

/**
 * Asks both nodes for all keys, and notes what is granted.
 * @param atOnce how many questions at once
 * @returns how often each reason was given
 */
async function race(
  keys: readonly Key[],
  times: number,
  { costOf = () => 1, atOnce = times }: { costOf?: (turn: number) => number; atOnce?: number } = {},
) {
  const token = await setup.issuer.sign({ sub: 'server', scope: 'keys.verify' });
  const reasons: Record<string, number> = {};
  const ask = async (turn: number) => {
    const key = keys[turn % keys.length] as Key;
    const node = setup.nodes[Math.floor(turn / keys.length) % 2] as TestGateway;
    const cost = costOf(turn);
    const json = { key: key.secret, cost };
    const { status, body } = await node.rest('POST', '/keys/verify', { token, json });
    expect(status).toBe(200);
    reasons[`${body.reason}`] = (reasons[`${body.reason}`] ?? 0) + 1;
    if (body.valid) key.granted += cost;
  };
  for (let start = 0; start < times; start += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, turn) => ask(start + turn)));
  return reasons;
}

const sum = (keys: readonly Key[]) => keys.reduce((total, { granted }) => total + granted, 0);

/** Compares what is taken of every quota with what was granted. */
async function expectExact(account: AccountId, keys: readonly Key[]) {
  await giveBack();
  const [shared] = await execute(`select taken from account_quota where account_id = ${account}`);
  if (shared) expect(Number(shared['taken'])).toBe(sum(keys));
  const rows = await execute('select api_key_id, taken from api_key_quota order by api_key_id');
  const taken = new Map(rows.map((row) => [Number(row['api_key_id']), Number(row['taken'])]));
  for (const { id, granted } of keys) if (taken.has(id)) expect(taken.get(id), `key ${id}`).toBe(granted);
}

it('quotas of keys and of their account: each grants as much as it has, and a refusal spends no unit', async () => {
  const { account, keys } = await createKeys('quota', [{ quota: 40 }, { quota: 200 }, { quota: 200 }, {}]);
  const reasons = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    for (const reason of Object.keys(await race(keys, 48, { costOf: (turn) => 1 + (turn % 5) })))
      reasons.add(reason);
    await expectExact(account, keys);
    for (const { granted } of keys.slice(0, 1)) expect(granted).toBeLessThanOrEqual(40);
    expect(sum(keys)).toBeLessThanOrEqual(300);
  }
  // What is left for one unit at a time.
  await race(keys, 48);
  await giveBack();
  await race(keys, 48);
  expect(sum(keys)).toBe(300);
  expect([...reasons]).toEqual(expect.arrayContaining(['null', 'quota_exceeded', 'account_quota_exceeded']));
});

it('if the account has more than its keys, each key gets all of its own quota', async () => {
  const { account, keys } = await createKeys('large', [{ quota: 40 }, { quota: 60 }, { quota: 80 }]);
  for (let round = 0; round < 4; round += 1) {
    await race(keys, 120, { costOf: (turn) => 1 + (turn % 3) });
    await expectExact(account, keys);
  }
  await race(keys, 60);
  await expectExact(account, keys);
  expect(keys.map(({ granted }) => granted)).toEqual([40, 60, 80]);
});

/** Of a rate, nodes let in some more: what one of them has counted, the other learns of a moment later. */
const slack = { most: 1.4, atOnce: 4 };

it('limits raised and lowered while both nodes hold units never grant more than is left', async () => {
  const { account, keys } = await createKeys('large', [{ quota: 500 }, { quota: 500 }, {}]);
  const [one] = keys as [Key];
  const limits = [40, 500, 90, 2000, 120, 500, 200, 1000];
  for (const [round, limit] of limits.entries()) {
    await execute(`update api_key_quota set units = ${limit} where api_key_id = ${one.id}`);
    const overrides = JSON.stringify({ quota: { limit: 2 * limit, refill: 'never' } });
    await execute(`update account set overrides = '${overrides}' where id = ${account}`);
    const before = { one: one.granted, all: sum(keys) };
    await race(keys, 90, { costOf: (turn) => 1 + (turn % 4) });
    // What is beyond the limit already stays, and nothing is added to it.
    expect(one.granted, `round ${round}`).toBeLessThanOrEqual(Math.max(limit, before.one));
    expect(sum(keys), `round ${round}`).toBeLessThanOrEqual(Math.max(2 * limit, before.all));
  }
  await expectExact(account, keys);
  expect(sum(keys)).toBeGreaterThan(400);
});

it('a refusal by a rate spends no unit of the key or the account', async () => {
  const rated = { rateLimit: 10, rateLimitWindow: 600, quota: 500 };
  const { account, keys } = await createKeys('both', [rated, { quota: 500 }, {}]);
  const first = await race(keys.slice(0, 1), 100, slack);
  expect(first['rate_limited']).toBeGreaterThanOrEqual(80);
  await expectExact(account, keys);
  const reasons = await race(keys, 300, slack);
  expect(reasons['account_rate_limited']).toBeGreaterThanOrEqual(100);
  await expectExact(account, keys);
  expect(sum(keys)).toBeGreaterThanOrEqual(60);
  expect(sum(keys)).toBeLessThanOrEqual(60 * slack.most);
  // All at once, too.
  await race(keys, 100);
  await expectExact(account, keys);
});

it('a refusal by a quota spends nothing of the account’s rate', async () => {
  const { keys } = await createKeys('rate', [{ quota: 10 }, {}]);
  const [limited, free] = keys as [Key, Key];
  await race([limited], 200);
  await giveBack();
  await race([limited], 200);
  expect(limited.granted).toBe(10);
  await race([free], 200, slack);
  expect(free.granted).toBeGreaterThanOrEqual(50);
  expect(sum(keys)).toBeLessThanOrEqual(60 * slack.most);
});

it('a refusal by an account’s quota spends nothing of a key’s rate', async () => {
  const { account, keys } = await createKeys('quota', [{}, { rateLimit: 50, rateLimitWindow: 600 }]);
  const [other, rated] = keys as [Key, Key];
  while ((await race([other], 60, { costOf: () => 10 }))['null']) await giveBack();
  expect(other.granted).toBe(300);
  expect(await race([rated], 100)).toEqual({ account_quota_exceeded: 100 });
  await execute(`update account set plan = 'large' where id = ${account}`);
  await race([rated], 100, slack);
  expect(rated.granted).toBeGreaterThanOrEqual(50);
  expect(rated.granted).toBeLessThanOrEqual(50 * slack.most);
  await expectExact(account, keys);
});

it('a window with a new length keeps its start and what both nodes counted', async () => {
  const rated = { rateLimit: 40, rateLimitWindow: 600 };
  const { keys } = await createKeys('large', [rated]);
  const [key] = keys as [Key];
  const told = async () => {
    for (const node of setup.nodes) await node.counts?.told();
  };
  const ask = async (times: number) => {
    for (let turn = 0; turn < times; turn += 2) {
      await race(keys, 2, slack);
      await told();
    }
  };
  await ask(60);
  expect(key.granted).toBeGreaterThanOrEqual(40);
  const most = 40 * slack.most;
  expect(key.granted).toBeLessThanOrEqual(most);
  for (const seconds of [3600, 601, 7200]) {
    await execute(`update api_key set rate_limit_window = ${seconds} where id = ${key.id}`);
    await ask(20);
    expect(key.granted, `${seconds} s`).toBeLessThanOrEqual(most);
  }
  // Both nodes tell the same count of a window that ends as late as its length says.
  await execute(`update api_key set rate_limit = 100 where id = ${key.id}`);
  await ask(60);
  const rows = await execute(
    'select points, seconds, expire - extract(epoch from now()) * 1000 as left from rate_limit',
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ seconds: 7200 });
  expect(Number(rows[0]?.['points'])).toBeGreaterThanOrEqual(80);
  expect(Number(rows[0]?.['left'])).toBeGreaterThan(7_100_000);
});
