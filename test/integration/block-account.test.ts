import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { callerOf, createPeople, operatorOf, trailOf, verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { inputsOf, type OperationName, operations } from '../support/two-sides.ts';

const setup = setUpGateway();

const reason = 'Its keys were used to attack others.';

it("the operator's address is shown to the operator only", async () => {
  const { bob } = await createPeople(setup);
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const options = { token, json: { reason }, address: '192.0.2.7' };
  expect((await setup.gateway.rest('POST', `/admin/accounts/${bob.id}/block`, options)).status).toBe(200);
  expect(await trailOf(setup, bob.id)).toMatchObject([{ address: null }]);
  const [ofOlivia] = await trailOf(setup, await operatorOf(setup));
  expect(ofOlivia).toMatchObject({ action: 'account-blocked', address: '192.0.2.7' });
});

const call = callerOf(setup);

it('200: the time and the reason', async () => {
  const { bob } = await createPeople(setup);
  const { code, data } = await call('blockAccount', { id: bob.id, reason: `  ${reason} ` });
  expect(code).toBe('OK');
  expect(data).toEqual({
    id: bob.id,
    issuer: setup.issuer.config.issuer,
    subject: 'bob',
    kind: 'person',
    createdAt: expect.stringMatching(/Z$/),
    blockedAt: expect.stringMatching(/Z$/),
    blockReason: reason,
    erasedAt: null,
    apiKeyCount: 2,
    activeApiKeyCount: 1,
  });
});

it("the account's keys are refused at once, also by forward auth", async () => {
  const { bob } = await createPeople(setup);
  const atDoor = () => setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': bob.secret } });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: true, reason: null });
  expect((await atDoor()).status).toBe(200);
  await call('blockAccount', { id: bob.id, reason });
  expect(await verify(setup, bob.secret)).toMatchObject({
    valid: false,
    reason: 'account_blocked',
    key_id: bob.keyId,
    user_id: bob.id,
  });
  expect(await atDoor()).toMatchObject({
    status: 403,
    body: { detail: 'The account of this API key is blocked', reason: 'account_blocked' },
  });
  const itself = await setup.gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': bob.secret } });
  expect(itself.status).toBe(403);
});

it('a key that is inactive or expired keeps that reason; others get account_blocked', async () => {
  const { bob } = await createPeople(setup);
  const keys = [
    [{ isActive: false }, null, 'inactive'],
    [{ expiresAt: new Date(0) }, null, 'expired'],
    [{}, new Date(0), 'rotated'],
    [{ allowedAddresses: '["192.0.2.1"]' }, null, 'account_blocked'],
  ] as const;
  await call('blockAccount', { id: bob.id, reason });
  for (const [values, worksUntil, expected] of keys) {
    const secret = createApiKeySecret();
    const id = await setup.gateway.createApiKey(bob.id, values);
    await setup.gateway.addSecret(id, secret, worksUntil);
    expect(await verify(setup, secret)).toMatchObject({ reason: expected });
  }
});

it('a block is in both audit trails: by whom, to whom, and why', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason });
  const olivia = await operatorOf(setup);
  const [ofBob] = await trailOf(setup, bob.id);
  expect(ofBob).toMatchObject({
    action: 'account-blocked',
    actor: 'operator',
    other_id: olivia,
    reason,
    address: null,
  });
  const [ofOlivia, ...before] = await trailOf(setup, olivia);
  expect(ofOlivia).toMatchObject({ action: 'account-blocked', actor: null, other_id: bob.id, reason });
  expect(before).toMatchObject([{ action: 'account-created' }]);
  expect(ofOlivia?.['request']).toBe(ofBob?.['request']);
  const [line] = setup.gateway.log().filter(({ event }) => event === 'account-blocked');
  expect(line).toMatchObject({ accountId: bob.id, operatorId: olivia });
  expect(JSON.stringify(setup.gateway.log())).not.toContain(reason);
});

it('events are written in the order of accounts, so two operators cannot deadlock', async () => {
  const { bob } = await createPeople(setup);
  const claims = { sub: 'bob', scope: 'keyward.admin' };
  await call('blockAccount', { id: bob.id, reason });
  const olivia = await operatorOf(setup);
  await call('unblockAccount', { id: bob.id, reason });
  await call('blockAccount', { id: olivia, reason }, claims);
  const written = (await setup.gateway.rows('audit_event')).filter(
    ({ action }) => action === 'account-blocked',
  );
  const order = (rows: typeof written) => rows.map((row) => row['account_id']);
  expect(order(written)).toEqual([bob.id, olivia, bob.id, olivia]);
});

it('the owner sees that an operator did it; the operator sees to whom', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason });
  await call('unblockAccount', { id: bob.id, reason: 'A mistake' });
  const { data } = await call('auditEvents', {}, { sub: 'bob' });
  expect(data.nodes).toMatchObject([
    { action: 'account-unblocked', actor: 'operator', reason: 'A mistake', onUserId: null, userId: bob.id },
    { action: 'account-blocked', actor: 'operator', reason, onUserId: null, address: null },
  ]);
  const own = await call('auditEvents', {}, { sub: 'olivia' });
  expect(own.data.nodes).toMatchObject([
    { action: 'account-unblocked', actor: 'self', reason: 'A mistake', onUserId: bob.id },
    { action: 'account-blocked', actor: 'self', reason, onUserId: bob.id },
    { action: 'account-created', actor: 'self', reason: null, onUserId: null },
  ]);
});

it('a second time → nothing changes, not even the reason', async () => {
  const { bob } = await createPeople(setup);
  const first = await call('blockAccount', { id: bob.id, reason });
  const stored = await setup.stored();
  expect(await call('blockAccount', { id: bob.id, reason: 'Another' })).toEqual(first);
  expect(await setup.stored()).toEqual(stored);
});

it('an unknown account → 404', async () => {
  await createPeople(setup);
  for (const id of [99, 0, -1])
    expect(await call('blockAccount', { id, reason })).toMatchObject({
      code: 'NOT_FOUND',
      message: 'Account not found',
    });
  expect(await setup.gateway.rows('audit_event')).toEqual([]);
});

it("the operator's own account → 409", async () => {
  const olivia = await setup.gateway.createAccount('olivia');
  expect(await call('blockAccount', { id: olivia, reason })).toMatchObject({
    code: 'CONFLICT',
    message: 'This account is your own',
  });
  expect(await setup.gateway.rows('account')).toMatchObject([{ blocked_at: null }]);
});

it.each(['', '  ', 'a'.repeat(501), 'a\0b'])('422 for the reason %j', async (bad) => {
  const { bob } = await createPeople(setup);
  const { code, issues } = await call('blockAccount', { id: bob.id, reason: bad });
  expect(code).toBe('BAD_USER_INPUT');
  expect(issues?.[0]?.path).toEqual(['reason']);
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: true });
});

it('a blocked operator → 403', async () => {
  const { bob } = await createPeople(setup);
  const olivia = await setup.gateway.createAccount('olivia');
  await call('blockAccount', { id: olivia, reason }, { sub: 'oscar', scope: 'keyward.admin' });
  for (const [operation, input] of [
    ['accounts', {}],
    ['account', { id: bob.id }],
    ['accountApiKeys', { id: bob.id }],
    ['accountAuditEvents', { id: bob.id }],
    ['accountUsage', { id: bob.id }],
    ['accountApiKeyUsage', { keyId: bob.keyId }],
    ['findApiKey', { key: bob.secret }],
    ['unblockAccount', { id: olivia, reason }],
    ['eraseAccount', { id: bob.id }],
    ['deactivateAccountApiKey', { keyId: bob.keyId, reason }],
  ] as const)
    expect(await call(operation, input), operation).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This account is blocked',
    });
});

describe('a blocked caller → 403', () => {
  // A server verifies keys in its own name: it has no account.
  const people = operations.filter((operation) => operation !== 'verifyApiKey' && operation !== 'findApiKey');
  const forAll = {
    sub: 'bob',
    scope: 'openid email profile idp.signin.user.admin keyward.admin keys.import',
  };
  /** An input that would do for somebody else: the published one. */
  const inputOf = (operation: OperationName) =>
    Object.fromEntries(
      inputsOf(operation)
        // A cursor of a page that is not there is refused before.
        .filter(({ name }) => name !== 'after')
        .map(({ name, extensions }) => [name, extensions['example']]),
    );

  it.each(people)('%s', async (operation) => {
    const { bob } = await createPeople(setup);
    await call('blockAccount', { id: bob.id, reason });
    const before = await setup.stored();
    expect(await call(operation, inputOf(operation), forAll)).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      challenge: null,
      message: 'This account is blocked',
    });
    expect(await setup.stored()).toEqual(before);
  });
});

it('a stored answer is not replayed to a blocked caller', async () => {
  const { bob } = await createPeople(setup);
  const create = async () =>
    setup.gateway.rest('POST', '/auth/keys', {
      token: await setup.sign({ sub: 'bob' }),
      json: {},
      headers: { 'idempotency-key': 'one' },
    });
  expect((await create()).status).toBe(201);
  await setup.gateway.rest('POST', `/admin/accounts/${bob.id}/block`, {
    token: await setup.sign({ sub: 'olivia', scope: 'keyward.admin' }),
    json: { reason },
  });
  expect((await create()).status).toBe(403);
});

describe('over REST', () => {
  const block = async (id: number, headers: Record<string, string>) =>
    setup.gateway.rest('POST', `/admin/accounts/${id}/block`, {
      token: await setup.sign({ sub: 'olivia', scope: 'keyward.admin' }),
      json: { reason },
      headers,
    });

  it('another tag in If-Match → 412, and nothing changes', async () => {
    const { bob } = await createPeople(setup);
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const read = await setup.gateway.rest('GET', `/admin/accounts/${bob.id}`, { token });
    const tag = read.headers.get('etag') ?? '';
    await setup.gateway.createApiKey(bob.id);
    expect((await block(bob.id, { 'if-match': tag })).status).toBe(412);
    expect(await verify(setup, bob.secret)).toMatchObject({ valid: true });
    const again = await setup.gateway.rest('GET', `/admin/accounts/${bob.id}`, { token });
    const blocked = await block(bob.id, { 'if-match': again.headers.get('etag') ?? '' });
    expect(blocked.status).toBe(200);
    expect(blocked.headers.get('etag')).not.toBe(again.headers.get('etag'));
  });

  it('twice with one Idempotency-Key → done once', async () => {
    const { bob } = await createPeople(setup);
    const first = await block(bob.id, { 'idempotency-key': 'one' });
    const second = await block(bob.id, { 'idempotency-key': 'one' });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await trailOf(setup, bob.id)).toHaveLength(1);
  });
});
