import { describe, expect, it } from 'vitest';
import { callerOf } from '../support/operators.ts';
import { documentPlans, freeGrant, noLimits } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const alice = { sub: 'alice' };
const billing = { sub: 'billing', scope: 'accounts.entitle' };

describe('with plans', () => {
  const setup = setUpGateway({ plans: documentPlans });

  let sides = 0;

  const call = callerOf(setup);

  const own = async () => (await call('myEntitlement', {}, alice)).data;
  const verify = async (secret: string, cost: number) => {
    const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
    const answer = await setup.gateway.rest('POST', '/keys/verify', { token, json: { key: secret, cost } });
    expect(answer.body.valid).toBe(true);
  };

  it('200 for a caller without an account: the unused default plan; nothing is written', async () => {
    const stored = await setup.stored();
    expect(await call('myEntitlement', {}, alice)).toMatchObject({
      code: 'OK',
      data: {
        plan: 'free',
        effective: freeGrant,
        rateLimit: { limit: 10, remaining: 10, resetsAt: expect.stringMatching(/Z$/) },
        quota: { limit: 1000, remaining: 1000, refillsAt: expect.stringMatching(/-01T00:00:00\.000Z$/) },
      },
    });
    expect(await setup.stored()).toEqual(stored);
  });

  it('200: the use of all keys together; reading it uses nothing', async () => {
    // What is used is kept in memory, by id: each side has ids of its own.
    sides += 1;
    for (let filler = 0; filler < sides; filler += 1) await setup.gateway.createAccount(`filler ${filler}`);
    const account = await setup.gateway.createAccount('alice');
    for (const cost of [3, 4]) {
      const key = await setup.gateway.createVerifiableKey(account, {});
      await verify(key.secret, cost);
    }
    const used = { rateLimit: { limit: 10, remaining: 8 }, quota: { limit: 1000, remaining: 993 } };
    expect(await own()).toMatchObject(used);
    expect(await own()).toMatchObject(used);
  });

  it('200: a new plan and its overrides at once, and nothing of other accounts', async () => {
    const account = await setup.gateway.createAccount('alice');
    const bob = await setup.gateway.createAccount('bob');
    await call('setEntitlement', { userId: bob, plan: 'unlimited' }, billing);
    expect(await own()).toMatchObject({ plan: 'free' });
    const overrides = { quota: { limit: 5, refill: 'never' }, permissions: ['billing.*'] };
    await call('setEntitlement', { userId: account, plan: 'pro', overrides }, billing);
    expect(await own()).toMatchObject({
      plan: 'pro',
      effective: { permissions: ['billing.*'], rateLimit: null, metadata: { support: 'email' } },
      rateLimit: null,
      quota: { limit: 5, remaining: 5, refillsAt: null },
    });
    await call('setEntitlement', { userId: account, plan: 'unlimited', overrides: null }, billing);
    expect(await own()).toMatchObject({
      plan: 'unlimited',
      effective: noLimits,
      rateLimit: null,
      quota: null,
    });
  });

  it('403 for a blocked account', async () => {
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.database.em
      .fork()
      .execute(`update account set blocked_at = created_at where id = ${account}`);
    expect(await call('myEntitlement', {}, alice)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This account is blocked',
    });
  });

  it('403 for the scope that sets it', async () => {
    expect((await call('myEntitlement', {}, billing)).code).toBe('FORBIDDEN');
  });

  it('304 until something changes', async () => {
    const account = await setup.gateway.createAccount('alice');
    const { secret } = await setup.gateway.createVerifiableKey(account, {});
    const token = await setup.sign(alice);
    const overrides = { rate_limit: null };
    await setup.gateway.rest('PUT', `/admin/accounts/${account}/entitlement`, {
      token: await setup.sign(billing),
      json: { overrides },
    });
    const read = (headers = {}) => setup.gateway.rest('GET', '/auth/entitlement', { token, headers });
    const etag = `${(await read()).headers.get('etag')}`;
    expect((await read({ 'if-none-match': etag })).status).toBe(304);
    await setup.gateway.rest('POST', '/keys/verify', {
      token: await setup.sign({ sub: 'server', scope: 'keys.verify' }),
      json: { key: secret },
    });
    expect((await read({ 'if-none-match': etag })).status).toBe(200);
  });
});

describe('without plans', () => {
  const setup = setUpGateway();

  it('200: no plan and no limits', async () => {
    const call = callerOf(setup);
    expect(await call('myEntitlement', {}, alice)).toMatchObject({
      code: 'OK',
      data: { plan: null, effective: noLimits, rateLimit: null, quota: null },
    });
  });
});
