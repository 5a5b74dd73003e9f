import { describe, expect, it } from 'vitest';
import { callerOf } from '../support/operators.ts';
import { documentPlans } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({ plans: documentPlans });

const billing = { sub: 'billing', scope: 'accounts.entitle' };
const server = { sub: 'server', scope: 'keys.verify' };
const alice = { sub: 'alice' };
const day = 86_400_000;

type Call = ReturnType<typeof callerOf>;

/** What alice does with her keys, and her provider with her account. */
function actors(call: Call) {
  const make = (input: Record<string, unknown> = {}) => call('createApiKey', input, alice);
  const change = (keyId: number, input: Record<string, unknown>) =>
    call('updateApiKey', { keyId, ...input }, alice);
  const entitle = (plan: string | null, overrides: object | null = null) => {
    const owner = { issuer: setup.issuer.config.issuer, subject: 'alice' };
    return call('setEntitlementBySubject', { ...owner, plan, overrides }, billing);
  };
  const ask = async (key: string, ...permissions: string[]) =>
    (await call('verifyApiKey', { key, permissions }, server)).data;
  /** What a proxy is answered that asks for a permission. */
  const askAtDoor = async (secret: string, permission: string) => {
    const headers = { 'x-api-key': secret, 'x-keyward-require': permission };
    const { status, body } = await setup.gateway.rest('GET', '/keys/authorize', { headers });
    return { status, body };
  };
  /** What the key is told that asks for itself. */
  const askAsKey = async (secret: string) =>
    (await setup.gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': secret } })).body;
  /** Makes a key over REST, where its secret can be read. */
  const made = async (json: object = {}) => {
    const token = await setup.sign(alice);
    const { status, body } = await setup.gateway.rest('POST', '/auth/keys', { token, json });
    expect(status).toBe(201);
    return { id: body.id as number, secret: body.key as string };
  };
  return { make, change, entitle, ask, askAtDoor, askAsKey, made };
}

const call = callerOf(setup);

const { make, change, entitle, ask, askAtDoor, askAsKey, made } = actors(call);

it("a key never does more than its account's plan, whatever its owner sets", async () => {
  const key = await made({
    permissions: ['documents.read'],
    quota: { limit: 1, refill: 'monthly' },
    metadata: { plan: 'free' },
  });
  expect(await ask(key.secret, 'billing.refund')).toMatchObject({ reason: 'insufficient_permissions' });
  expect(await ask(key.secret, 'documents.read')).toMatchObject({ valid: true, quota: { remaining: 0 } });
  const wish = { permissions: ['*'], metadata: { plan: 'enterprise' }, quota: null, rateLimit: null };
  expect(await change(key.id, wish)).toMatchObject({
    code: 'BAD_USER_INPUT',
    issues: [{ path: ['permissions'], type: 'permission_not_entitled' }],
  });
  // Nothing of the wish holds.
  expect(await ask(key.secret, 'billing.refund')).toMatchObject({
    valid: false,
    reason: 'insufficient_permissions',
    plan: 'free',
    metadata: { plan: 'free' },
  });
  expect(await ask(key.secret, 'documents.read')).toMatchObject({ reason: 'quota_exceeded' });
  // A wish from a time without a ceiling stays with the key, and does not hold.
  await entitle('unlimited');
  expect((await change(key.id, wish)).code).toBe('OK');
  expect(await ask(key.secret, 'billing.refund')).toMatchObject({ valid: true, plan: 'unlimited' });
  expect((await askAtDoor(key.secret, 'billing.refund')).status).toBe(200);
  expect(await askAsKey(key.secret)).toMatchObject({ permissions: ['*'], plan: 'unlimited' });
  await entitle('free');
  const bounded = {
    permissions: ['documents.read'],
    plan: 'free',
    entitlement: { metadata: { support: 'none' } },
    metadata: { plan: 'enterprise' },
  };
  expect(await ask(key.secret, 'billing.refund')).toMatchObject({
    valid: false,
    reason: 'insufficient_permissions',
    ...bounded,
  });
  expect(await askAtDoor(key.secret, 'billing.refund')).toMatchObject({
    status: 403,
    body: {
      detail: 'The API key needs the permissions: billing.refund',
      reason: 'insufficient_permissions',
    },
  });
  expect(await askAsKey(key.secret)).toMatchObject(bounded);
  expect(await ask(key.secret, 'documents.read')).toMatchObject({ valid: true });
  // And an upgrade gives back what the key was given before.
  await entitle('unlimited');
  expect(await ask(key.secret, 'billing.refund')).toMatchObject({ valid: true, permissions: ['*'] });
});

it('422 for permissions beyond the plan, and a wildcard that is wider than it', async () => {
  for (const permissions of [['billing.refund'], ['documents.*'], ['*'], ['documents.read', 'a']])
    expect(await make({ permissions }), permissions.join()).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [
        {
          path: ['permissions'],
          type: 'permission_not_entitled',
          message: `Your account may have only these permissions: documents.read. Remove: ${permissions.at(-1)}.`,
        },
      ],
    });
  await entitle('free', { permissions: [] });
  expect(await make({ permissions: ['documents.read'] })).toMatchObject({
    issues: [{ message: expect.stringContaining('these permissions: none.') }],
  });
  expect((await make({ permissions: [] })).code).toBe('OK');
});

it('a change may keep or give up permissions that the plan no longer has', async () => {
  await entitle('unlimited');
  const { id } = await made({ permissions: ['documents.read', 'billing.refund', '*'] });
  await entitle('free');
  expect((await change(id, { name: 'Desk' })).code).toBe('OK');
  const permissions = ['billing.refund', 'documents.read'];
  expect((await change(id, { permissions })).data).toMatchObject({ permissions });
  expect((await change(id, { permissions: [...permissions, '*'] })).code).toBe('BAD_USER_INPUT');
});

it('more keys than the plan allows → 409; existing keys stay', async () => {
  await made();
  const { secret } = await made();
  expect(await make()).toMatchObject({
    code: 'CONFLICT',
    message: 'You may have at most 2 active API keys: deactivate one first',
  });
  await entitle('free', { max_active_keys: 0 });
  expect((await make()).code).toBe('CONFLICT');
  expect(await ask(secret)).toMatchObject({ valid: true });
  await entitle('pro');
  expect((await make()).code).toBe('OK');
});

it('without an expiry → as long as the plan allows; a longer one → refused', async () => {
  const before = Date.now();
  const { data } = await make();
  const expiresAt = new Date((data.apiKey ?? data).expiresAt).getTime();
  expect(expiresAt - 90 * day).toBeGreaterThanOrEqual(before);
  expect(expiresAt - 90 * day).toBeLessThanOrEqual(Date.now());
  const soon = new Date(before + 89 * day).toISOString();
  expect((await make({ expiresAt: soon })).data).toMatchObject(
    data.apiKey ? { apiKey: { expiresAt: soon } } : { expiresAt: soon },
  );
  await entitle('free', { max_active_keys: null });
  expect(await make({ expiresAt: new Date(before + 91 * day).toISOString() })).toMatchObject({
    code: 'BAD_USER_INPUT',
    issues: [{ path: ['expiresAt'], type: 'less_than_equal' }],
  });
});

it('an expiry can move earlier, but not beyond the plan', async () => {
  const { id } = await made();
  const at = (days: number) => new Date(Date.now() + days * day).toISOString();
  expect((await change(id, { expiresAt: at(1) })).code).toBe('OK');
  expect((await change(id, { expiresAt: at(80) })).code).toBe('OK');
  expect((await change(id, { expiresAt: at(91) })).code).toBe('BAD_USER_INPUT');
  expect((await change(id, { expiresAt: null })).code).toBe('BAD_USER_INPUT');
  // From a time when there was no bound.
  await entitle('unlimited');
  expect((await change(id, { expiresAt: null })).code).toBe('OK');
  await entitle('free', { max_key_days: 1 });
  expect((await change(id, { name: 'Desk', expiresAt: null })).code).toBe('OK');
  expect((await change(id, { expiresAt: at(300) })).code).toBe('OK');
});

describe('in forward auth and for the key itself', () => {
  const headersOf = (secret: string, require?: string) => ({
    'x-api-key': secret,
    ...(require && { 'x-keyward-require': require }),
  });

  it('forward auth shows the plan, and refuses permissions beyond it', async () => {
    const account = await setup.gateway.createAccount('alice');
    const { secret } = await setup.gateway.createVerifiableKey(account, { permissions: '["*"]' });
    const ask = (require?: string) =>
      setup.gateway.rest('GET', '/keys/authorize', { headers: headersOf(secret, require) });
    expect((await ask('documents.read')).headers.get('x-keyward-plan')).toBe('free');
    const refused = await ask('billing.refund');
    expect(refused).toMatchObject({
      status: 403,
      body: {
        detail: 'The API key needs the permissions: billing.refund',
        reason: 'insufficient_permissions',
      },
    });
  });

  it('the key itself reads its effective permissions', async () => {
    const account = await setup.gateway.createAccount('alice');
    const { secret } = await setup.gateway.createVerifiableKey(account, { permissions: '["documents.*"]' });
    const read = () => setup.gateway.rest('GET', '/keys/self', { headers: headersOf(secret) });
    const first = await read();
    expect(first).toMatchObject({
      status: 200,
      body: {
        permissions: ['documents.read'],
        plan: 'free',
        entitlement: { metadata: { support: 'none' } },
      },
    });
    await setup.gateway.rest('PUT', `/admin/accounts/${account}/entitlement`, {
      token: await setup.sign(billing),
      json: { plan: 'pro' },
    });
    const second = await read();
    expect(second.body).toMatchObject({ permissions: ['documents.*'], plan: 'pro' });
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
    const ended = await setup.gateway.rest('DELETE', '/keys/self', {
      headers: { ...headersOf(secret), 'if-match': second.headers.get('etag') ?? '' },
    });
    expect(ended).toMatchObject({ status: 200, body: { is_active: false, plan: 'pro' } });
  });
});
