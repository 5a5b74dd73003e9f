import { describe, expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, trailOf } from '../support/operators.ts';
import { documentPlans } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { inputsOf, operations, scopesOf } from '../support/two-sides.ts';

const setup = setUpGateway({ plans: documentPlans });

const billing = { sub: 'billing', scope: 'accounts.entitle' };

const call = callerOf(setup);

it('200: the new entitlement', async () => {
  const { bob } = await createPeople(setup);
  const overrides = { max_active_keys: 5 };
  const set = await call('setEntitlement', { userId: bob.id, plan: 'pro', overrides }, billing);
  expect(set).toMatchObject({
    code: 'OK',
    data: { userId: bob.id, plan: 'pro', overrides, effective: { maxActiveKeys: 5 } },
  });
  expect(await call('entitlement', { userId: bob.id }, billing)).toEqual(set);
});

it('a missing member stays, null clears it', async () => {
  const { bob } = await createPeople(setup);
  const set = async (input: object) =>
    (await call('setEntitlement', { userId: bob.id, ...input }, billing)).data;
  await set({ plan: 'pro', overrides: { max_active_keys: 5 } });
  expect(await set({ plan: 'free' })).toMatchObject({ plan: 'free', overrides: { max_active_keys: 5 } });
  expect(await set({ overrides: null })).toMatchObject({ plan: 'free', overrides: null });
  expect(await set({ plan: null })).toMatchObject({ plan: null, overrides: null });
});

it('a second time → nothing changes, in any order of members', async () => {
  const { bob } = await createPeople(setup);
  const input = { userId: bob.id, plan: 'pro', overrides: { max_key_days: 1, max_active_keys: 5 } };
  const first = await call('setEntitlement', input, billing);
  const stored = await setup.stored();
  const overrides = { max_active_keys: 5, max_key_days: 1 };
  expect(await call('setEntitlement', { ...input, overrides }, billing)).toEqual(first);
  expect(await setup.stored()).toEqual(stored);
});

it("a server's change is one event, in the account's trail only", async () => {
  const { bob } = await createPeople(setup);
  const input = { userId: bob.id, plan: 'pro', overrides: { quota: null } };
  await call('setEntitlement', { ...input, reason: 'Invoice 1042' }, billing);
  const rows = await setup.gateway.rows('audit_event');
  expect(rows).toMatchObject([
    {
      account_id: bob.id,
      actor: 'provider',
      other_id: null,
      action: 'account-entitlement-changed',
      reason: 'Invoice 1042',
      address: null,
    },
  ]);
  expect(JSON.parse(`${rows[0]?.['details']}`)).toEqual([
    { field: 'plan', from: null, to: 'pro' },
    { field: 'overrides', from: null, to: { quota: null } },
  ]);
  // A server has no account of its own.
  expect(await setup.gateway.rows('account')).toHaveLength(2);
  const { data } = await call('auditEvents', {}, { sub: 'bob' });
  expect(data.nodes).toMatchObject([{ actor: 'provider', reason: 'Invoice 1042', onUserId: null }]);
  expect(JSON.stringify(setup.gateway.log())).not.toContain('Invoice');
});

it("an operator's change is in both trails, with the reason", async () => {
  const { bob } = await createPeople(setup);
  await call('setEntitlement', { userId: bob.id, plan: 'pro', reason: 'A complaint' });
  const olivia = await operatorOf(setup);
  expect(await trailOf(setup, bob.id)).toMatchObject([
    { actor: 'operator', other_id: olivia, reason: 'A complaint' },
  ]);
  expect((await trailOf(setup, olivia))[0]).toMatchObject({ actor: null, other_id: bob.id });
});

it('422 for an operator without a reason', async () => {
  const { bob } = await createPeople(setup);
  expect(await call('setEntitlement', { userId: bob.id, plan: 'pro' })).toMatchObject({
    code: 'BAD_USER_INPUT',
    issues: [{ path: ['reason'], type: 'missing' }],
  });
  expect(await setup.gateway.rows('audit_event')).toEqual([]);
});

it.each([
  ['plan', 'gold'],
  ['plan', ''],
  ['overrides', { quotas: null }],
  ['overrides', { plan: 'pro' }],
])('422 for %s %j', async (member, value) => {
  const { bob } = await createPeople(setup);
  const { code, issues } = await call('setEntitlement', { userId: bob.id, [member]: value }, billing);
  expect({ code, path: issues?.[0]?.path }).toEqual({ code: 'BAD_USER_INPUT', path: [member] });
});

it.each([
  [{ permissions: 'documents.read' }, ['permissions']],
  [{ permissions: ['Documents'] }, ['permissions', '0']],
  [{ rate_limit: { limit: 0, window_seconds: 1 } }, ['rate_limit', 'limit']],
  [{ rate_limit: { limit: 1 } }, ['rate_limit', 'window_seconds']],
  [{ quota: { limit: 1.5, refill: 'daily' } }, ['quota', 'limit']],
  [{ quota: { limit: 1, refill: 'weekly' } }, ['quota', 'refill']],
  [{ max_active_keys: -1 }, ['max_active_keys']],
  [{ max_key_days: 0 }, ['max_key_days']],
  [{ metadata: { a: 'a'.repeat(2048) } }, ['metadata']],
])('422 for the override %j', async (overrides, path) => {
  const { bob } = await createPeople(setup);
  const { code, issues } = await call('setEntitlement', { userId: bob.id, overrides }, billing);
  // The support spells REST's names as GraphQL does, within the overrides as well.
  const spelled = (names: readonly string[] = []) => names.join('.').replaceAll('_', '').toLowerCase();
  expect({ code, path: spelled(issues?.[0]?.path) }).toEqual({
    code: 'BAD_USER_INPUT',
    path: spelled(['overrides', ...path]),
  });
  expect(await setup.gateway.rows('audit_event')).toEqual([]);
});

it('a blocked account → allowed, an erased one → 409; erasing deletes it', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason: 'x' });
  const set = (plan: string) => call('setEntitlement', { userId: bob.id, plan }, billing);
  expect((await set('pro')).code).toBe('OK');
  await call('eraseAccount', { id: bob.id });
  expect(await set('free')).toMatchObject({ code: 'CONFLICT', message: 'This account was erased' });
  const found = (await setup.gateway.rows('account')).find(({ id }) => id === bob.id);
  expect(found).toMatchObject({ plan: null, overrides: null, entitled_at: null });
});

it('a blocked server → 403', async () => {
  const { bob } = await createPeople(setup);
  const own = await setup.gateway.createAccount('billing');
  await call('blockAccount', { id: own, reason: 'x' });
  expect((await call('setEntitlement', { userId: bob.id, plan: 'pro' }, billing)).code).toBe('FORBIDDEN');
});

it('the scope accounts.entitle allows no other operation, but to find or create an account', async () => {
  const { bob } = await createPeople(setup);
  const others = operations.filter(
    (operation) => operation !== 'ensureAccount' && !scopesOf(operation).includes('accounts.entitle'),
  );
  const before = await setup.stored();
  for (const operation of others) {
    const input = Object.fromEntries(
      inputsOf(operation)
        .filter(({ name }) => name !== 'after')
        .map(({ name, extensions }) => [name, name === 'id' ? bob.id : extensions['example']]),
    );
    expect((await call(operation, input, billing)).code, operation).toBe('FORBIDDEN');
  }
  expect(await setup.stored()).toEqual(before);
});

describe('over REST', () => {
  const put = async (id: number, json: object, headers: Record<string, string> = {}) =>
    setup.gateway.rest('PUT', `/admin/accounts/${id}/entitlement`, {
      token: await setup.sign(billing),
      json,
      headers,
    });

  it('another tag in If-Match → 412, and nothing changes', async () => {
    const { bob } = await createPeople(setup);
    const token = await setup.sign(billing);
    const read = await setup.gateway.rest('GET', `/admin/accounts/${bob.id}/entitlement`, { token });
    const tag = read.headers.get('etag') ?? '';
    const set = await put(bob.id, { plan: 'pro' }, { 'if-match': tag });
    expect(set.status).toBe(200);
    expect(set.headers.get('etag')).not.toBe(tag);
    expect((await put(bob.id, { plan: 'free' }, { 'if-match': tag })).status).toBe(412);
    const now = await setup.gateway.rest('GET', `/admin/accounts/${bob.id}/entitlement`, { token });
    expect(now.text).toBe(set.text);
    expect(now.headers.get('etag')).toBe(set.headers.get('etag'));
  });

  it('accepts what it returned, and refuses a misspelt member', async () => {
    const { bob } = await createPeople(setup);
    const { body } = await put(bob.id, { plan: 'pro' }, { 'idempotency-key': 'one' });
    expect((await put(bob.id, { ...body, plan: 'free' })).body).toMatchObject({ plan: 'free' });
    expect(await put(bob.id, { plans: 'pro' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'plans'], type: 'extra_forbidden' }] },
    });
  });
});
