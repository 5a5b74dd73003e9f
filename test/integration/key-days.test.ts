import { describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const day = 86_400_000;

type Days = { usual: number | null; most: number | null };

const limited = (apiKeyDays: Days, plans?: Parameters<typeof createTestGateway>[1]) =>
  createTestGateway(setup.issuer, { ...plans, apiKeyDays });

const create = async (gateway: TestGateway, json: object) => {
  const before = Date.now();
  const answer = await gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json });
  const expiresAt = answer.body.expires_at as string | null | undefined;
  const days = expiresAt ? Math.round((Date.parse(expiresAt) - before) / day) : expiresAt;
  return { ...answer, days };
};

const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

describe('the life of a new key', () => {
  it.each<[string, Days, object, number | null]>([
    ['no limits', { usual: null, most: null }, {}, null],
    ['a default', { usual: 90, most: null }, {}, 90],
    ['a default, and a key that shall not expire', { usual: 90, most: null }, { expires_at: null }, null],
    ['a default, and a longer life', { usual: 90, most: null }, { expires_at: inDays(400) }, 400],
    ['a limit', { usual: null, most: 30 }, {}, 30],
    ['a limit, and a key that shall not expire', { usual: null, most: 30 }, { expires_at: null }, 30],
    ['both', { usual: 7, most: 30 }, {}, 7],
    ['both, and a key that shall not expire', { usual: 7, most: 30 }, { expires_at: null }, 30],
    ['both, and a life between them', { usual: 7, most: 30 }, { expires_at: inDays(20) }, 20],
  ])('with %s', async (_what, apiKeyDays, input, expected) => {
    await using gateway = await limited(apiKeyDays);
    const made = await create(gateway, input);
    expect([made.status, made.days]).toEqual([201, expected]);
  });

  it('that is longer than the limit → refused, over REST and GraphQL', async () => {
    await using gateway = await limited({ usual: null, most: 30 });
    const { status, body } = await create(gateway, { expires_at: inDays(31) });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      {
        loc: ['body', 'expires_at'],
        msg: expect.stringContaining('at most 30 days'),
        type: 'less_than_equal',
      },
    ]);
    const query = 'mutation ($at: DateTime) { createApiKey(expiresAt: $at) { key } }';
    const token = await setup.sign();
    const answer = await gateway.graphql(query, { token, variables: { at: inDays(31) } });
    expect(answer.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(await gateway.rows('api_key')).toEqual([]);
  });

  it("is the shorter of the operator's limit and the plan's", async () => {
    const grant = { permissions: null, rateLimit: null, quota: null, maxActiveKeys: null, metadata: null };
    const plansOf = (maxKeyDays: number) => ({
      plans: { usual: 'free', grants: new Map([['free', { ...grant, maxKeyDays }]]) },
    });
    for (const [most, ofPlan, expected] of [
      [30, 90, 30],
      [90, 30, 30],
    ] as const) {
      await using gateway = await limited({ usual: null, most }, plansOf(ofPlan));
      expect((await create(gateway, {})).days).toBe(expected);
      const { body } = await gateway.rest('GET', '/auth/entitlement', { token: await setup.sign() });
      expect(body.effective.max_key_days).toBe(expected);
    }
  });
});

describe('an existing key', () => {
  it('without an expiry stays so, and can be changed', async () => {
    await using gateway = await limited({ usual: null, most: 30 });
    const id = await gateway.createApiKey(await gateway.createAccount('alice'));
    const token = await setup.sign();
    const change = (json: object) => gateway.rest('PATCH', `/auth/keys/${id}`, { token, json });
    expect(await change({ name: 'Desk' })).toMatchObject({ status: 200, body: { expires_at: null } });
    expect((await change({ expires_at: inDays(10) })).status).toBe(200);
  });

  it('cannot be extended beyond the limit', async () => {
    await using gateway = await limited({ usual: null, most: 30 });
    const { id } = (await create(gateway, {})).body;
    const token = await setup.sign();
    for (const expires_at of [inDays(31), null]) {
      const answer = await gateway.rest('PATCH', `/auth/keys/${id}`, { token, json: { expires_at } });
      expect(answer.status).toBe(422);
    }
  });
});

it('the entitlement shows the limit, even without plans', async () => {
  await using gateway = await limited({ usual: null, most: 30 });
  const { body } = await gateway.rest('GET', '/auth/entitlement', { token: await setup.sign() });
  expect(body).toMatchObject({ plan: null, effective: { max_key_days: 30 } });
});
