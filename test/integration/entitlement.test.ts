import { describe, expect, it } from 'vitest';
import { callerOf, createPeople } from '../support/operators.ts';
import { documentPlans, freeGrant, noLimits } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const billing = { sub: 'billing', scope: 'accounts.entitle' };

describe('with plans', () => {
  const setup = setUpGateway({ plans: documentPlans });

  const call = callerOf(setup);

  it('200: without a grant, the default plan', async () => {
    const { carol } = await createPeople(setup);
    expect(await call('entitlement', { userId: carol.id }, billing)).toMatchObject({
      code: 'OK',
      data: {
        userId: carol.id,
        plan: null,
        overrides: null,
        effective: freeGrant,
        updatedAt: null,
      },
    });
  });

  it("200: an override replaces the plan's member; null removes the limit", async () => {
    const { carol } = await createPeople(setup);
    const overrides = { permissions: ['*'], quota: null, max_key_days: 7 };
    await call('setEntitlement', { userId: carol.id, plan: 'pro', overrides }, billing);
    expect((await call('entitlement', { userId: carol.id }, billing)).data).toMatchObject({
      plan: 'pro',
      overrides,
      effective: {
        permissions: ['*'],
        rateLimit: null,
        quota: null,
        maxActiveKeys: null,
        maxKeyDays: 7,
        metadata: { support: 'email' },
      },
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  it('200: a plan that no longer exists → the default plan', async () => {
    const { carol } = await createPeople(setup);
    const { em } = setup.gateway.database;
    await em.fork().execute(`update account set plan = 'gold' where id = ${carol.id}`);
    expect((await call('entitlement', { userId: carol.id }, billing)).data).toMatchObject({
      plan: 'gold',
      effective: { metadata: { support: 'none' } },
    });
  });

  it('an unknown account → 404', async () => {
    for (const userId of [99, 0, -1])
      expect(await call('entitlement', { userId }, billing)).toMatchObject({
        code: 'NOT_FOUND',
        message: 'Account not found',
      });
  });

  it('an operator reads it as well', async () => {
    const { carol } = await createPeople(setup);
    expect((await call('entitlement', { userId: carol.id })).code).toBe('OK');
  });
});

describe('without plans', () => {
  const setup = setUpGateway();

  it('nothing is limited', async () => {
    const call = callerOf(setup);
    const { carol } = await createPeople(setup);
    expect((await call('entitlement', { userId: carol.id }, billing)).data).toMatchObject({
      plan: null,
      effective: noLimits,
    });
  });

  it('overrides still apply', async () => {
    const call = callerOf(setup);
    const { carol } = await createPeople(setup);
    const input = { userId: carol.id, overrides: { max_active_keys: 3 } };
    expect((await call('setEntitlement', input, billing)).data).toMatchObject({
      effective: { ...noLimits, maxActiveKeys: 3 },
    });
  });

  it('a plan cannot be set', async () => {
    const call = callerOf(setup);
    const { carol } = await createPeople(setup);
    expect(await call('setEntitlement', { userId: carol.id, plan: 'pro' }, billing)).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['plan'], message: 'Must be a plan in PLANS_FILE.' }],
    });
  });
});
