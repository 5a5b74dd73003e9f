import { describe, expect, it } from 'vitest';
import { callerOf } from '../support/operators.ts';
import { documentPlans } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({ plans: documentPlans });

const billing = { sub: 'billing', scope: 'accounts.entitle' };

const call = callerOf(setup);

const set = (input: object) =>
  call('setEntitlementBySubject', { issuer: setup.issuer.config.issuer, subject: 'zoe', ...input }, billing);

it('200: creates the account of a person who has not called yet', async () => {
  const made = await set({ plan: 'pro' });
  expect(made).toMatchObject({ code: 'OK', data: { plan: 'pro' } });
  expect(await call('entitlement', { userId: made.data.userId }, billing)).toEqual(made);
  const [account, ...others] = await setup.gateway.rows('account');
  expect(account).toMatchObject({ id: made.data.userId, subject: 'zoe', plan: 'pro' });
  expect(others).toEqual([]);
  const trail = await setup.gateway.rows('audit_event');
  expect(trail.map(({ action, actor }) => [action, actor])).toEqual([
    ['account-created', 'provider'],
    ['account-entitlement-changed', 'provider'],
  ]);
  const { data } = await call('createApiKey', {}, { sub: 'zoe' });
  expect(data).toBeTruthy();
  expect(await setup.gateway.rows('account')).toHaveLength(1);
});

it('200: finds an existing account', async () => {
  const id = await setup.gateway.createAccount('zoe');
  expect((await set({ plan: 'pro' })).data).toMatchObject({ userId: id, plan: 'pro' });
  expect(await setup.gateway.rows('account')).toHaveLength(1);
});

it('many at once → one account', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => set({ plan: 'pro' })));
  expect(new Set(made.map(({ data }) => data.userId)).size).toBe(1);
  const actions = (await setup.gateway.rows('audit_event')).map(({ action }) => action);
  expect(actions.toSorted()).toEqual(['account-created', 'account-entitlement-changed']);
});

it.each([
  [{ issuer: '' }, 'issuer'],
  [{ subject: '' }, 'subject'],
  [{ subject: 'a'.repeat(256) }, 'subject'],
  [{ plan: 'gold' }, 'plan'],
])('422 for %j', async (input, member) => {
  const { code, issues } = await set(input);
  expect({ code, path: issues?.[0]?.path }).toEqual({ code: 'BAD_USER_INPUT', path: [member] });
  expect(await setup.gateway.rows('account')).toEqual([]);
});

describe('with known issuers', () => {
  const known = setUpGateway({ knownIssuers: [{ issuer: 'https://id.example.com' }] });

  it('another issuer → 422', async () => {
    const call = callerOf(known);
    const set = (issuer: string) => call('setEntitlementBySubject', { issuer, subject: 'zoe' }, billing);
    expect((await set('https://id.example.com')).code).toBe('OK');
    expect(await set('https://id.example.org')).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['issuer'], message: 'Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.' }],
    });
    expect(await known.gateway.rows('account')).toHaveLength(1);
  });
});
