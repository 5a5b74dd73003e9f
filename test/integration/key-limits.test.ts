import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId, ApiKey, ApiKeyQuota } from '../../src/database/tables.ts';
import { setReadOnly } from '../support/database.ts';
import { setClocks } from '../support/database-clock.ts';
import { type Answer, createTestGateway } from '../support/gateway.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const noon = Date.parse('2026-03-01T12:00:00.000Z');
const midnight = '2026-03-02T00:00:00.000Z';

const setTime = (at: number | string) => setClocks(setup.gateway.database, at);

let alice: AccountId;
let tests = 0;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await setTime(noon);
  alice = await setup.gateway.createAccount('alice');
  // Rates are counted in memory, by id: each test has ids of its own.
  tests += 1;
  const filler = await setup.gateway.createAccount('filler');
  for (let key = 0; key < tests * 2; key += 1) await setup.gateway.createApiKey(filler);
});
afterEach(() => void vi.useRealTimers());

/** A key with limits, and both doors to it. */
async function createKey({
  quota,
  ...values
}: Partial<ApiKey> & { readonly quota?: Partial<ApiKeyQuota> } = {}) {
  const { gateway } = setup;
  const { id, secret } = await gateway.createVerifiableKey(alice, values);
  if (quota) await gateway.createQuota(id, quota);
  const sign = () => setup.sign({ scope: 'keys.verify' });
  return {
    id,
    knock: (headers: Record<string, string> = {}) =>
      gateway.rest('GET', '/keys/authorize', { headers: { ...headers, 'x-api-key': secret } }),
    rest: async (question: object = {}) =>
      (
        await gateway.rest('POST', '/keys/verify', {
          token: await sign(),
          json: { key: secret, ...question },
        })
      ).body,
    graphql: async (cost?: number) => {
      const query = `mutation ($key: String!, $cost: Int) { verifyApiKey(key: $key, cost: $cost) {
        valid reason rateLimit { limit remaining resetsAt } quota { limit remaining refillsAt } } }`;
      const { body } = await gateway.graphql(query, {
        token: await sign(),
        variables: { key: secret, cost },
      });
      return body.data.verifyApiKey;
    },
  };
}

const daily = { refill: 'daily', refillsAt: new Date(midnight) } as const;

const limitsIn = ({ status, headers }: Answer) => [
  status,
  headers.get('ratelimit'),
  headers.get('retry-after'),
];

describe("a key's own rate limit", () => {
  const limited = (rateLimitWindow: number) => ({ rateLimit: 2, rateLimitWindow });
  const resetsAt = '2026-03-01T12:01:00.000Z';

  it('is shared by verification and forward auth, and starts again after its window', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: noon });
    const { knock, rest, graphql } = await createKey(limited(60));
    const first = await knock();
    expect(limitsIn(first)).toEqual([200, '"key";r=1;t=60', null]);
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=2;w=60');
    expect(await rest()).toMatchObject({
      valid: true,
      rate_limit: { limit: 2, remaining: 0, resets_at: resetsAt },
    });
    vi.advanceTimersByTime(30_000);
    const refused = await knock();
    expect(limitsIn(refused)).toEqual([429, '"key";r=0;t=30', '30']);
    expect(refused.body).toEqual({
      title: 'Too Many Requests',
      status: 429,
      detail: 'The API key exceeded its rate limit. Retry in 30 seconds.',
      reason: 'rate_limited',
    });
    expect(setup.gateway.log()).toContainEqual(expect.objectContaining({ reason: 'rate-limit-key' }));
    const none = { limit: 2, remaining: 0, resetsAt };
    expect(await graphql()).toEqual({ valid: false, reason: 'rate_limited', rateLimit: none, quota: null });
    vi.advanceTimersByTime(30_000);
    expect(limitsIn(await knock())).toEqual([200, '"key";r=1;t=60', null]);
  });

  it('a change of it applies to the next request', async () => {
    const { id, knock } = await createKey(limited(600));
    const change = (values: string) =>
      setup.gateway.database.em.getConnection().execute(`update api_key set ${values} where id = ${id}`);
    for (const status of [200, 200, 429, 429]) expect((await knock()).status).toBe(status);
    await change('rate_limit = 4');
    for (const status of [200, 200, 429]) expect((await knock()).status).toBe(status);
    await change('rate_limit = 1');
    expect((await knock()).status).toBe(429);
    // A window of another length ends that long after its first request.
    await change('rate_limit_window = 601');
    expect(limitsIn(await knock())).toEqual([429, '"key";r=0;t=601', '601']);
    await change('rate_limit = 6, rate_limit_window = 600');
    for (const status of [200, 200, 429]) expect((await knock()).status).toBe(status);
    await change('rate_limit = null, rate_limit_window = null');
    expect(limitsIn(await knock())).toEqual([200, null, null]);
  });

  it('is not used by a request that is refused for another reason', async () => {
    const { rest, knock } = await createKey(limited(700));
    for (let time = 0; time < 3; time += 1) {
      const refused = { reason: 'insufficient_permissions', rate_limit: { remaining: 2 } };
      expect(await rest({ permissions: ['documents.read'] })).toMatchObject(refused);
    }
    expect(limitsIn(await knock({ 'x-keyward-require': 'documents.read' }))).toEqual([403, null, null]);
    expect(limitsIn(await knock())).toEqual([200, '"key";r=1;t=700', null]);
  });
});

describe('a cost of 0', () => {
  it('uses nothing of the quota, and counts towards the rate limit', async () => {
    const { rest, graphql } = await createKey({
      rateLimit: 2,
      rateLimitWindow: 810,
      quota: { units: 5, ...daily },
    });
    const left = { rate_limit: { remaining: 1 }, quota: { remaining: 5 } };
    expect(await rest({ cost: 0 })).toMatchObject({ valid: true, ...left });
    expect(await graphql(0)).toMatchObject({ valid: true, rateLimit: { remaining: 0 } });
    const refused = { valid: false, reason: 'rate_limited', quota: { remaining: 5 } };
    expect(await rest({ cost: 0 })).toMatchObject(refused);
  });
});

describe('a quota', () => {
  it('is shared by verification and forward auth', async () => {
    const { knock, rest, graphql } = await createKey({ quota: { units: 5, ...daily } });
    const first = await knock();
    expect(limitsIn(first)).toEqual([200, '"quota";r=4;t=43200', null]);
    expect(first.headers.get('ratelimit-policy')).toBe('"quota";q=5');
    const left = { limit: 5, remaining: 2, refills_at: midnight };
    expect(await rest({ cost: 2 })).toMatchObject({ valid: true, quota: left });
    expect(await rest({ cost: 0 })).toMatchObject({ valid: true, quota: left });
    expect(await rest({ cost: 3 })).toMatchObject({ valid: false, reason: 'quota_exceeded', quota: left });
    expect(await graphql()).toMatchObject({ valid: true, quota: { remaining: 1, refillsAt: midnight } });
    expect(limitsIn(await knock())).toEqual([200, '"quota";r=0;t=43200', null]);
    const refused = await knock();
    expect(limitsIn(refused)).toEqual([429, '"quota";r=0;t=43200', '43200']);
    expect(refused.body).toMatchObject({
      detail: 'The quota of the API key is used up. Retry in 43200 seconds.',
      reason: 'quota_exceeded',
    });
    expect(await graphql()).toMatchObject({ valid: false, reason: 'quota_exceeded' });
    expect(await graphql(0)).toMatchObject({ valid: true, quota: { remaining: 0 } });
    expect(setup.gateway.log()).toContainEqual(expect.objectContaining({ reason: 'quota-exceeded' }));
  });

  it.each([
    ['daily', midnight, '2026-03-03T00:00:00.000Z'],
    ['monthly', '2026-04-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'],
  ] as const)('is full again after its period: %s', async (refill, end, nextEnd) => {
    const { graphql } = await createKey({ quota: { units: 3, refill, refillsAt: new Date(end) } });
    expect(await graphql(3)).toMatchObject({ valid: true, quota: { remaining: 0, refillsAt: end } });
    await setTime(Date.parse(end) - 1);
    expect(await graphql()).toMatchObject({ valid: false });
    await setTime(end);
    const full = { limit: 3, remaining: 3, refillsAt: nextEnd };
    expect(await graphql(0)).toMatchObject({ valid: true, quota: full });
    expect(await graphql(2)).toMatchObject({ valid: true, quota: { ...full, remaining: 1 } });
    expect(await graphql(2)).toMatchObject({ valid: false, quota: { ...full, remaining: 1 } });
    expect(await setup.gateway.database.em.getConnection().execute('select * from api_key_quota')).toEqual([
      expect.objectContaining({ generation: 8, taken: 2 }),
    ]);
  });

  it.each(['daily', 'monthly'] as const)(
    'the clock was days ahead → refused for at most one period, and granted once in it: %s',
    async (refill) => {
      await setTime('2026-05-05T12:00:00.000Z');
      const refillsAt = new Date('2026-05-05T11:00:00.000Z');
      const { graphql, knock } = await createKey({ quota: { units: 3, refill, refillsAt } });
      expect(await graphql(3)).toMatchObject({ valid: true });
      await setTime(noon);
      expect(await graphql(3)).toMatchObject({ valid: true, quota: { remaining: 0 } });
      expect(await graphql()).toMatchObject({ valid: false });
      const [, , retryAfter] = limitsIn(await knock());
      expect(Number(retryAfter)).toBeLessThanOrEqual(refill === 'daily' ? 86_400 : 31 * 86_400);
      await setTime(refill === 'daily' ? midnight : '2026-04-01T00:00:00.000Z');
      expect(await graphql(3)).toMatchObject({ valid: true });
    },
  );

  it('without a refill, used up → forward auth answers Retry-After: 3600', async () => {
    const { knock, graphql } = await createKey({ quota: { units: 0 } });
    expect(limitsIn(await knock())).toEqual([429, '"quota";r=0', '3600']);
    await setTime('2096-03-01');
    expect(await graphql()).toMatchObject({ valid: false, quota: { limit: 0, refillsAt: null } });
  });

  it('is not used by a request refused for another reason, such as the rate limit', async () => {
    const { rest, knock } = await createKey({ rateLimit: 1, rateLimitWindow: 800, quota: { units: 5 } });
    const refused = (reason: string) => ({ valid: false, reason, quota: { remaining: 5 } });
    expect(await rest({ permissions: ['x'], cost: 2 })).toMatchObject(refused('insufficient_permissions'));
    expect(await rest({ cost: 6 })).toMatchObject(refused('quota_exceeded'));
    expect(await rest({ cost: 2 })).toMatchObject(refused('rate_limited'));
    expect(limitsIn(await knock())).toEqual([429, '"key";r=0;t=800, "quota";r=5', '800']);
  });

  it("is not used by a request that the operator's rate limit refuses", async () => {
    await using gateway = await createTestGateway(setup.issuer, {
      rates: { apiKey: { requests: 1, seconds: 60 } },
    });
    const { id, secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    await gateway.createQuota(id, { units: 5 });
    const knock = () => gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    expect(limitsIn(await knock())).toEqual([200, '"api-key";r=0;t=60, "quota";r=4', null]);
    expect(limitsIn(await knock())).toEqual([429, '"api-key";r=0;t=60', '60']);
    const [stored] = await gateway.database.em.getConnection().execute('select taken from api_key_quota');
    expect(stored).toEqual({ taken: 1 });
  });

  it('changed, removed or added again → applies to the next request', async () => {
    const { id, rest } = await createKey({ quota: { units: 1000 } });
    const execute = (statement: string) => setup.gateway.database.em.getConnection().execute(statement);
    for (let time = 0; time < 3; time += 1) await rest();
    await execute('update api_key_quota set units = 2, taken = 0, generation = generation + 1');
    const answers = [await rest(), await rest(), await rest()];
    expect(answers.map(({ valid }) => valid)).toEqual([true, true, false]);
    await execute('delete from api_key_quota');
    expect(await rest({ cost: 1000 })).toMatchObject({ valid: true, quota: null });
    await setup.gateway.createQuota(id, { units: 1, generation: 3 });
    expect(await rest({ cost: 2 })).toMatchObject({ valid: false, quota: { remaining: 1 } });
    expect(await rest()).toMatchObject({ valid: true, quota: { remaining: 0 } });
  });

  it('the database is read-only, so no units can be taken → 503', async () => {
    const { knock, rest } = await createKey({ quota: { units: 3 } });
    const { database } = setup.gateway;
    await setReadOnly(database, true);
    const answers = await Promise.all([knock(), knock(), knock()]);
    expect(limitsIn(answers[0])).toEqual([503, null, '5']);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await setReadOnly(database, false);
    expect(await rest({ cost: 3 })).toMatchObject({ valid: true, quota: { remaining: 0 } });
  });
});

describe("the quota in a key's record", () => {
  it('shows what is left, including units that this node has taken and not used', async () => {
    const { id, rest } = await createKey({ quota: { units: 1000, ...daily } });
    const read = async () => {
      const token = await setup.sign();
      const one = await setup.gateway.rest('GET', `/auth/keys/${id}`, { token });
      const all = await setup.gateway.rest('GET', '/auth/keys', { token });
      expect(all.body[0]).toEqual(one.body);
      return one.body.quota;
    };
    const full = { limit: 1000, refill: 'daily', remaining: 1000, refills_at: midnight };
    expect(await read()).toEqual(full);
    for (let time = 0; time < 5; time += 1) await rest();
    expect(await read()).toEqual({ ...full, remaining: 995 });
    const [stored] = await setup.gateway.database.em
      .getConnection()
      .execute('select taken from api_key_quota');
    expect(stored?.['taken']).toBeGreaterThan(5);
    await setTime(midnight);
    expect(await read()).toEqual({ ...full, refills_at: '2026-03-03T00:00:00.000Z' });
  });
});

describe('a verification of a key with limits', () => {
  it('takes one statement, and now and then one more that takes units for many', async () => {
    const quota = { units: 100_000, ...daily };
    const { knock } = await createKey({ rateLimit: 1_000_000, rateLimitWindow: 900, quota });
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      for (let time = 0; time < 200; time += 1) expect((await knock()).status).toBe(200);
    });
    const ofCounts = sql.filter((statement) => !statement.includes('"rate_limit" as'));
    const takes = ofCounts.filter((statement) => /^update .api_key_quota/.test(statement));
    // 1, 8, 64, 512 of them, unless the machine is slow.
    expect(takes.length).toBeLessThanOrEqual(10);
    expect(ofCounts).toHaveLength(200 + takes.length);
  });

  it('200 at once with 150 units → exactly 150 succeed', async () => {
    const { knock } = await createKey({ quota: { units: 150 } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => knock()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(150);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(50);
  });
});
