import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { AccountId, QuotaRefill } from '../../src/database/tables.ts';
import type { QuotaUse } from '../../src/operations/context.ts';
import { accountQuotaOf, accountQuotas } from '../../src/quotas/account-quotas.ts';
import { QuotaLeases } from '../../src/quotas/quota-leases.ts';
import { setClocks } from '../support/database-clock.ts';
import { plansOf } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const plans = plansOf({
  small: { quota: { limit: 10, refill: 'monthly' }, rate_limit: { limit: 6, window_seconds: 60 } },
  large: { quota: { limit: 40, refill: 'monthly' } },
  daily: { quota: { limit: 10, refill: 'daily' } },
  rated: { rate_limit: { limit: 3, window_seconds: 60 } },
  slow: { rate_limit: { limit: 3, window_seconds: 3600 } },
  none: {},
});

const setup = setUpGateway({ plans });
const db = () => new Db(setup.gateway.database.em);

let tests = 0;

/** An account with a plan, and keys of its own. */
async function createKeys(plan: string, parts: readonly object[]) {
  // Rates are counted in memory, by id: each test has ids of its own.
  tests += 1;
  for (let filler = 0; filler < tests * 3; filler += 1) await setup.gateway.createAccount(`filler ${filler}`);
  const account = await setup.gateway.createAccount('alice');
  for (let filler = 0; filler < tests * 3; filler += 1) await setup.gateway.createApiKey(account);
  const entitle = (name: string) =>
    db().kysely.updateTable('account').set({ plan: name }).where('id', '=', account).execute();
  await entitle(plan);
  const keys: { id: number; secret: string }[] = [];
  for (const part of parts) keys.push(await setup.gateway.createVerifiableKey(account, part));
  return { account, entitle, keys };
}

const rest = async (key: { secret: string } | undefined, cost = 1) => {
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  return (await setup.gateway.rest('POST', '/keys/verify', { token, json: { key: key?.secret, cost } })).body;
};
const graphql = async (key: { secret: string } | undefined, cost = 1) => {
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  const { body } = await setup.gateway.graphql(
    `mutation ($key: String!, $cost: Int!) { verifyApiKey(key: $key, cost: $cost) { reason quota { remaining }
      rate_limit: rateLimit { remaining }
      entitlement { rate_limit: rateLimit { limit remaining } quota { limit remaining refills_at: refillsAt } } } }`,
    { token, variables: { key: key?.secret, cost } },
  );
  return body.data.verifyApiKey;
};
const atDoor = (key: { secret: string } | undefined) =>
  setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key?.secret ?? '' } });

describe.each([
  ['REST', rest],
  ['GraphQL', graphql],
])('over %s', (_name, ask) => {
  it('all keys of the account share its quota', async () => {
    const { keys } = await createKeys('large', [{}, {}]);
    const [one, two] = keys;
    expect((await ask(one, 15)).entitlement).toMatchObject({ quota: { limit: 40, remaining: 25 } });
    expect(await ask(two, 25)).toMatchObject({ reason: null, entitlement: { quota: { remaining: 0 } } });
    for (const key of keys)
      expect(await ask(key)).toMatchObject({
        reason: 'account_quota_exceeded',
        entitlement: {
          quota: { limit: 40, remaining: 0, refills_at: expect.stringMatching(/-01T00:00:00/) },
        },
      });
  });

  it('all keys of the account share its rate limit', async () => {
    const { keys } = await createKeys('rated', [{}, {}]);
    expect((await ask(keys[0])).entitlement).toMatchObject({ rate_limit: { limit: 3, remaining: 2 } });
    await ask(keys[1]);
    await ask(keys[0]);
    expect(await ask(keys[1])).toMatchObject({
      reason: 'account_rate_limited',
      entitlement: { rate_limit: { remaining: 0 } },
    });
  });

  it("refused by the key's own limit → nothing of the account's is spent", async () => {
    const { keys } = await createKeys('small', [{ rateLimit: 1, rateLimitWindow: 60 }, {}]);
    const [rated, limited] = keys;
    await setup.gateway.createQuota(limited?.id ?? 0, { units: 1 });
    await ask(rated);
    await ask(limited);
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await ask(rated)).reason).toBe('rate_limited');
      expect((await ask(limited)).reason).toBe('quota_exceeded');
    }
    expect((await ask(rated)).entitlement).toMatchObject({
      rate_limit: { remaining: 4 },
      quota: { remaining: 8 },
    });
  });

  it("refused by the account's rate limit → nothing of the key's is spent", async () => {
    const { keys } = await createKeys('rated', [{ rateLimit: 10, rateLimitWindow: 60 }]);
    const [key] = keys;
    await setup.gateway.createQuota(key?.id ?? 0, { units: 10 });
    for (let turn = 0; turn < 8; turn += 1) await ask(key);
    expect(await ask(key)).toMatchObject({
      reason: 'account_rate_limited',
      rate_limit: { remaining: 7 },
      quota: { remaining: 7 },
    });
  });

  it("refused by the account's quota → nothing of the key's is spent", async () => {
    const { keys } = await createKeys('large', [{ rateLimit: 100, rateLimitWindow: 60 }]);
    const [key] = keys;
    await setup.gateway.createQuota(key?.id ?? 0, { units: 100 });
    await ask(key, 40);
    for (let turn = 0; turn < 5; turn += 1)
      expect(await ask(key, 10)).toMatchObject({
        reason: 'account_quota_exceeded',
        rate_limit: { remaining: 99 },
        quota: { remaining: 60 },
      });
  });

  it('a change of plan applies at once, and what was used stays used', async () => {
    const { keys, entitle } = await createKeys('large', [{}]);
    const [key] = keys;
    expect((await ask(key, 12)).reason).toBeNull();
    await entitle('small');
    expect(await ask(key)).toMatchObject({
      reason: 'account_quota_exceeded',
      entitlement: { quota: { limit: 10, remaining: 0 } },
    });
    await entitle('large');
    expect(await ask(key)).toMatchObject({ reason: null, entitlement: { quota: { remaining: 27 } } });
    await entitle('none');
    expect(await ask(key)).toMatchObject({ reason: null, entitlement: { quota: null } });
    await entitle('small');
    expect(await ask(key)).toMatchObject({ reason: 'account_quota_exceeded' });
  });

  it("a change of plan keeps the use of a rate, even if the window's length changes", async () => {
    const { keys, entitle } = await createKeys('rated', [{}]);
    for (let turn = 0; turn < 3; turn += 1) expect((await ask(keys[0])).reason).toBeNull();
    await entitle('slow');
    expect(await ask(keys[0])).toMatchObject({
      reason: 'account_rate_limited',
      entitlement: { rate_limit: { limit: 3, remaining: 0 } },
    });
    await entitle('small');
    expect((await ask(keys[0])).entitlement).toMatchObject({ rate_limit: { limit: 6, remaining: 2 } });
    await entitle('rated');
    expect((await ask(keys[0])).reason).toBe('account_rate_limited');
  });
});

it("raising and lowering a key's quota grants no extra units", async () => {
  const { keys } = await createKeys('none', [{}]);
  const [key] = keys;
  const token = await setup.sign();
  const change = async (quota: object | null) =>
    setup.gateway.rest('PATCH', `/auth/keys/${key?.id}`, { token, json: { quota } });
  const three = { limit: 3, refill: 'never' };
  await change(three);
  const granted = async () => {
    let count = 0;
    while ((await rest(key)).reason === null) count += 1;
    return count;
  };
  expect(await granted()).toBe(3);
  for (const other of [{ limit: 10_000, refill: 'never' }, null, { limit: 10_000, refill: 'monthly' }]) {
    await change(other);
    await change(three);
    expect(await granted(), JSON.stringify(other)).toBe(0);
  }
  // The units that a node has leased under the larger limit are not spent under the smaller one.
  await change({ limit: 10_000, refill: 'never' });
  for (let turn = 0; turn < 20; turn += 1) await rest(key);
  await change({ limit: 24, refill: 'never' });
  expect(await granted()).toBe(1);
});

it('a verification that began before an erasure leaves no rows', async () => {
  const { account, keys } = await createKeys('large', [{}]);
  await rest(keys[0]);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  await setup.gateway.rest('DELETE', `/admin/accounts/${account}`, { token });
  await db()
    .kysely.insertInto('account_quota')
    .values({ account_id: account, refill: 'never', taken: 1, generation: 1 })
    .execute();
  await setup.gateway.erasures.run();
  expect(await setup.gateway.rows('account_quota')).toEqual([]);
});

it('a quota with another refill keeps what was used, and nodes drop their leases', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { gateway } = setup;
    await setClocks(gateway.database, '2026-03-10T12:00:00.000Z');
    const { keys, entitle } = await createKeys('small', [{}]);
    const left = async () => (await rest(keys[0], 0)).entitlement.quota;
    await rest(keys[0], 10);
    expect((await rest(keys[0])).reason).toBe('account_quota_exceeded');
    await entitle('daily');
    expect((await rest(keys[0])).reason).toBe('account_quota_exceeded');
    expect(await left()).toMatchObject({ remaining: 0, refills_at: '2026-03-11T00:00:00.000Z' });
    await setClocks(gateway.database, '2026-03-11T00:00:01.000Z');
    expect(await rest(keys[0], 3)).toMatchObject({ reason: null });
    // To and fro grants nothing anew.
    await entitle('small');
    expect((await rest(keys[0], 3)).entitlement.quota).toMatchObject({
      remaining: 4,
      refills_at: '2026-04-01T00:00:00.000Z',
    });
    await entitle('daily');
    expect((await rest(keys[0], 3)).entitlement.quota.remaining).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

it('forward auth names both policies; the one that refuses sets Retry-After', async () => {
  const { keys, entitle } = await createKeys('small', [{ rateLimit: 100, rateLimitWindow: 30 }]);
  await setup.gateway.createQuota(keys[0]?.id ?? 0, { units: 100 });
  const answer = await atDoor(keys[0]);
  expect(answer.headers.get('ratelimit-policy')).toBe(
    '"key";q=100;w=30, "quota";q=100, "plan";q=6;w=60, "plan-quota";q=10',
  );
  expect(answer.headers.get('ratelimit')).toMatch(
    /^"key";r=99;t=30, "quota";r=99, "plan";r=5;t=60, "plan-quota";r=9;t=\d+$/,
  );
  for (let turn = 0; turn < 5; turn += 1) await atDoor(keys[0]);
  const rated = await atDoor(keys[0]);
  expect(rated).toMatchObject({ status: 429, body: { reason: 'account_rate_limited' } });
  expect(Number(rated.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  await entitle('daily');
  for (let turn = 0; turn < 4; turn += 1) expect((await atDoor(keys[0])).status).toBe(200);
  const spent = await atDoor(keys[0]);
  expect(spent).toMatchObject({ status: 429, body: { reason: 'account_quota_exceeded' } });
  expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('two keys at once → never more than the limit in total', async () => {
  const { keys } = await createKeys('large', [{}, {}]);
  await setup.gateway.createQuota(keys[0]?.id ?? 0, { units: 15 });
  const asked = await Promise.all(Array.from({ length: 120 }, (_, turn) => rest(keys[turn % 2])));
  const reasons = asked.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === null)).toHaveLength(40);
  const [own] = await setup.gateway.rows('api_key_quota');
  const granted = asked.filter(({ reason }, turn) => reason === null && turn % 2 === 0).length;
  await setup.gateway.keyQuotas.giveBack();
  const [after] = await setup.gateway.rows('api_key_quota');
  expect(own?.['units']).toBe(15);
  expect(after?.['taken']).toBe(granted);
});

describe('on several nodes', () => {
  const terms = { limit: 10_000, refill: 'never' as QuotaRefill };

  /** Asks a node as a verification does. */
  const spend = async (node: QuotaLeases, account: AccountId, cost = 1): Promise<QuotaUse | null> => {
    const askedAt = performance.now();
    const known = accountQuotaOf(terms, null);
    const quota = (await accountQuotas.read(db(), account, known, new Date())) ?? known;
    return node.spend(db(), { ownerId: account, quota, askedAt, now: new Date(), cost });
  };

  it('two nodes and 20 keys → exactly 10,000 of 10,000 units are granted', async () => {
    const account = await setup.gateway.createAccount('alice');
    const nodes = [0, 1].map(() => new QuotaLeases(db(), accountQuotas, () => {}));
    let granted = 0;
    const client = async (index: number) => {
      const node = nodes[index % 2] as QuotaLeases;
      for (;;) {
        const use = await spend(node, account, 5);
        if (!use?.isGranted) return;
        granted += 5;
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => client(index)));
    for (const node of nodes) await node[Symbol.asyncDispose]();
    await using last = new QuotaLeases(db(), accountQuotas, () => {});
    while ((await spend(last, account))?.isGranted) granted += 1;
    expect(granted).toBe(10_000);
  });

  it('a crashed node loses its leased units and nothing else', async () => {
    const account = await setup.gateway.createAccount('alice');
    let granted = 0;
    for (let round = 0; round < 30; round += 1) {
      // It is never disposed of, as after kill -9.
      const node = new QuotaLeases(db(), accountQuotas, () => {});
      for (let turn = 0; turn < 50; turn += 1) granted += (await spend(node, account))?.isGranted ? 1 : 0;
    }
    const [row] = await setup.gateway.rows('account_quota');
    expect(granted).toBe(1500);
    expect(row?.['taken']).toBeGreaterThanOrEqual(granted);
    expect(row?.['taken']).toBeLessThanOrEqual(10_000);
  });
});

it('erasing an account deletes its use', async () => {
  const { account, keys } = await createKeys('large', [{}]);
  await rest(keys[0]);
  expect(await setup.gateway.rows('account_quota')).toHaveLength(1);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  await setup.gateway.rest('DELETE', `/admin/accounts/${account}`, { token });
  expect(await setup.gateway.rows('account_quota')).toEqual([]);
});
