import { describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { Db } from '../../src/database/db.ts';
import { exportKeys } from '../../src/transfer/export-keys.ts';
import { callerOf, createPeople, operatorOf, trailOf, verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const address = '192.0.2.7';

/** Everything that somebody can have here, made by themselves; answers the secret of their key. */
const makeEverything = async (sub: string): Promise<string> => {
  const token = await setup.sign({ sub });
  const call = (method: string, path: string, json?: object) =>
    setup.gateway.rest(method, path, {
      token,
      address,
      headers: { 'idempotency-key': `${method}-${path}` },
      ...(json && { json }),
    });
  const created = await call('POST', '/auth/keys', { name: 'Personal' });
  expect(created.status).toBe(201);
  await call('POST', `/auth/keys/${created.body.id}/rotate`, { grace_seconds: 600 });
  await call('POST', '/auth/private-key', { private_key: '1'.padStart(64, '0') });
  await call('PUT', '/automation/settings', { is_enabled: true });
  return created.body.key;
};

const everyTable = [
  ...['account', 'api_key', 'api_key_secret', 'private_key', 'automation_settings', 'idempotency_record'],
  'audit_event',
];

/** All that is stored, as text. */
const everything = async () =>
  JSON.stringify(await Promise.all(everyTable.map((table) => setup.gateway.rows(table))));

const call = callerOf(setup);

it('200: personal data and secrets are gone; the audit trail keeps ids and actions', async () => {
  const secret = await makeEverything('bob');
  await call('blockAccount', { id: 1, reason: 'Personal reason' });
  const before = await trailOf(setup, 1);
  expect(before[1]).toMatchObject({ address });
  const { code, data } = await call('eraseAccount', { id: 1 });
  expect(code).toBe('OK');
  expect(data).toMatchObject({
    id: 1,
    subject: expect.stringMatching(/^erased:/),
    blockedAt: null,
    blockReason: null,
    erasedAt: expect.stringMatching(/Z$/),
    apiKeyCount: 0,
    activeApiKeyCount: 0,
  });
  // At once, and not once its rows are gone.
  expect(await verify(setup, secret)).toMatchObject({ valid: false, reason: 'not_found' });
  await setup.gateway.erasures.run();
  const stored = await setup.stored();
  for (const table of ['api_key', 'api_key_secret', 'private_key', 'automation_settings'])
    expect(stored[table], table).toEqual([]);
  expect(stored['idempotency_record']?.filter((row) => row['account_id'] === 1)).toEqual([]);
  const [erased, ...after] = await trailOf(setup, 1);
  const olivia = await operatorOf(setup);
  expect(erased).toMatchObject({
    action: 'account-erased',
    actor: 'operator',
    other_id: olivia,
    reason: null,
  });
  expect(after).toEqual(before.map((row) => ({ ...row, address: null, details: null, reason: null })));
  expect((await trailOf(setup, olivia)).slice(0, 2)).toMatchObject([
    { action: 'account-erased', actor: null, other_id: 1, reason: null },
    { action: 'account-blocked', actor: null, other_id: 1, reason: null },
  ]);
  const text = await everything();
  for (const personal of ['bob', 'Personal', address, secret.slice(0, 9)])
    expect(text).not.toContain(personal);
  expect(await verify(setup, secret)).toMatchObject({ valid: false, reason: 'not_found' });
});

it('other accounts keep everything', async () => {
  const { bob, carol } = await createPeople(setup);
  await call('eraseAccount', { id: carol.id });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: true });
  expect((await call('account', { id: bob.id })).data).toMatchObject({ subject: 'bob', apiKeyCount: 2 });
});

it('the same person then gets a new, empty account', async () => {
  await makeEverything('bob');
  await call('eraseAccount', { id: 1 });
  const bob = { sub: 'bob' };
  expect((await call('apiKeys', {}, bob)).data.nodes).toEqual([]);
  expect((await call('auditEvents', {}, bob)).data.nodes).toEqual([]);
  expect((await call('privateKeyStatus', {}, bob)).data).toMatchObject({ hasKey: false });
  expect((await call('createApiKey', {}, bob)).code).toBe('OK');
  const accounts = await setup.gateway.rows('account');
  expect(accounts.filter(({ subject }) => subject === 'bob')).toMatchObject([{ id: 3, erased_at: null }]);
});

it('at once nothing is visible; the rows are gone after the background work', async () => {
  const { bob, carol } = await createPeople(setup);
  const { gateway } = setup;
  for (let key = 0; key < 3; key += 1) {
    const { id } = await gateway.createVerifiableKey(bob.id, { keyPrefix: 'sk-erased' });
    await gateway.createQuota(id, {});
    const hours = Array.from({ length: 300 }, (_, hour) =>
      new Date(Date.now() - hour * 3_600_000).toISOString(),
    );
    await gateway.createUses(hours.map((hour) => [id, hour, 'valid', 1] as const));
  }
  const kept = await gateway.createVerifiableKey(carol.id);
  await gateway.createUses([[kept.id, new Date().toISOString(), 'valid', 7]]);
  const uses = await gateway.uses();
  // It stands still meanwhile.
  const run = vi.spyOn(gateway.erasures, 'run').mockResolvedValue();
  expect(await call('eraseAccount', { id: bob.id })).toMatchObject({
    code: 'OK',
    data: { apiKeyCount: 0 },
  });
  expect(run).toHaveBeenCalledOnce();
  expect(await gateway.rows('api_key')).toHaveLength(6);
  expect((await call('account', { id: bob.id })).data).toMatchObject({
    apiKeyCount: 0,
    activeApiKeyCount: 0,
  });
  expect((await call('accountApiKeys', { id: bob.id })).data.nodes).toEqual([]);
  expect((await call('findApiKey', { keyPrefix: 'sk-erased' })).data).toEqual([]);
  expect(await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'Leaked' })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await verify(setup, bob.secret)).toMatchObject({ valid: false, reason: 'not_found' });
  const lines: string[] = [];
  for await (const line of exportKeys(new Db(gateway.database.em))) lines.push(line);
  expect(lines.join('').split('\n').filter(Boolean)).toHaveLength(1);
  run.mockRestore();
  await gateway.erasures.run();
  expect(await gateway.rows('api_key')).toMatchObject([{ id: kept.id }]);
  for (const table of ['api_key_quota', 'private_key', 'idempotency_record'])
    expect(
      (await gateway.rows(table)).filter((row) => row['account_id'] !== carol.id),
      table,
    ).toEqual([]);
  expect(await gateway.uses()).toEqual(uses.filter(([id]) => id === kept.id));
  expect(await gateway.uses('account')).toEqual([[carol.id, expect.any(String), 'valid', 7]]);
  // A change that had begun before the erasure may leave rows a little later: they are looked for again.
  const isBeingErased = async () =>
    (await gateway.rows('account')).filter((row) => row['is_being_erased']).map(({ id }) => id);
  expect(await isBeingErased()).toEqual([bob.id]);
  const anHour = 3_600_000;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + anHour });
  await gateway.erasures.run();
  vi.useRealTimers();
  expect(await isBeingErased()).toEqual([]);
});

it('the request takes the same work, however much the account has', async () => {
  const { bob, carol } = await createPeople(setup);
  await setup.gateway.createPrivateKey(carol.id);
  for (let key = 0; key < 300; key += 1) {
    const { id } = await setup.gateway.createVerifiableKey(bob.id);
    if (key % 100 === 98) await setup.gateway.addSecret(id, createApiKeySecret());
  }
  vi.spyOn(setup.gateway.erasures, 'run').mockResolvedValue();
  const changes = vi.spyOn(Db.prototype, 'run');
  /** The rows that the statements of an erasure return or change. */
  const rowsOf = async (id: number) => {
    changes.mockClear();
    await call('eraseAccount', { id });
    const answers = await Promise.all(changes.mock.results.map(({ value }) => value as Promise<object[]>));
    return answers.flat().length;
  };
  const keys = (await setup.gateway.rows('api_key')).length;
  expect(await rowsOf(bob.id)).toBe(await rowsOf(carol.id));
  expect(await setup.gateway.rows('api_key_secret')).toHaveLength(304);
  expect((await setup.gateway.rows('api_key')).length).toBe(keys);
  vi.restoreAllMocks();
  // In batches that end within a key's secrets as well.
  await setup.gateway.erasures.run();
  expect(await setup.gateway.rows('api_key_secret')).toEqual([]);
});

it('accounts take turns, so that a large one does not delay another', async () => {
  const { bob, carol } = await createPeople(setup);
  const { gateway } = setup;
  const hours = Array.from({ length: 3000 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
  await gateway.createUses(hours.map((hour) => [bob.keyId, hour, 'valid', 1] as const));
  await gateway.createVerifiableKey(carol.id);
  const run = vi.spyOn(gateway.erasures, 'run').mockResolvedValue();
  for (const { id } of [bob, carol]) await call('eraseAccount', { id });
  run.mockRestore();
  const { transaction } = Db.prototype;
  /** Whose keys were left after each step. */
  const left: string[] = [];
  const steps = vi.spyOn(Db.prototype, 'transaction').mockImplementation(async function (this: Db, change) {
    const result = await transaction.call(this, change);
    left.push(`${new Set((await gateway.rows('api_key')).map((row) => row['account_id'])).size}`);
    return result as never;
  });
  await gateway.erasures.run();
  steps.mockRestore();
  // Carol's key goes while Bob's uses are still removed, though his turn came first.
  expect(left.filter((people) => people === '1').length).toBeGreaterThan(5);
  expect(left.at(-1)).toBe('0');
});

it('each step removes few rows, so others can write in between', async () => {
  const { bob } = await createPeople(setup);
  const { gateway } = setup;
  const hours = Array.from({ length: 1000 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
  await gateway.createUses(hours.map((hour) => [bob.keyId, hour, 'valid', 1] as const));
  const run = vi.spyOn(Db.prototype, 'transaction');
  await call('eraseAccount', { id: bob.id });
  await gateway.erasures.run();
  expect(await gateway.uses()).toEqual([]);
  // A thousand uses of the key and of the account, at most 200 in each.
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(10);
});

it('a second time → nothing changes', async () => {
  const { bob } = await createPeople(setup);
  const first = await call('eraseAccount', { id: bob.id });
  await setup.gateway.erasures.run();
  const stored = await setup.stored();
  expect(await call('eraseAccount', { id: bob.id })).toEqual(first);
  expect(await setup.stored()).toEqual(stored);
});

it("an unknown account → 404, the operator's own → 409", async () => {
  const olivia = await setup.gateway.createAccount('olivia');
  expect(await call('eraseAccount', { id: 99 })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await call('eraseAccount', { id: olivia })).toMatchObject({ code: 'CONFLICT' });
  expect(await setup.gateway.rows('account')).toMatchObject([{ erased_at: null }]);
});

/** What somebody does again and again while they are erased. */
const changes: readonly (readonly [method: string, path: string, json?: object])[] = [
  ['POST', '/auth/keys', { name: 'Personal' }],
  ['POST', '/auth/keys/1/rotate', { grace_seconds: 60 }],
  ['PATCH', '/auth/keys/1', { name: 'Personal' }],
  ['PUT', '/auth/keys/1/default'],
  ['DELETE', '/auth/keys/2'],
  ['POST', '/auth/private-key', { private_key: '1'.padStart(64, '0') }],
  ['DELETE', '/auth/private-key'],
  ['PUT', '/automation/settings', { is_enabled: true }],
  // It makes the settings, and writes nothing down.
  ['PUT', '/automation/settings', {}],
];

describe("races with the owner's changes", () => {
  const erase = async (id: number): Promise<number> => {
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const { status } = await setup.gateway.rest('DELETE', `/admin/accounts/${id}`, { token });
    // PostgreSQL has found a circle of locks: nothing was erased, and another attempt is.
    return status === 503 ? erase(id) : status;
  };

  it('leave no settings without an audit event', async () => {
    for (let round = 0; round < 4; round += 1) {
      const id = await setup.gateway.createAccount(`bob-${round}`);
      const token = await setup.sign({ sub: `bob-${round}` });
      const erased = erase(id);
      const made = [0, 1, 2, 3, 4, 5].map(async (delay) => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        return setup.gateway.rest('PUT', '/automation/settings', { token, json: {} });
      });
      expect(await erased).toBe(200);
      for (const { status } of await Promise.all(made)) expect([200, 503]).toContain(status);
      await setup.gateway.erasures.run();
      const left = await setup.gateway.rows('automation_settings');
      expect(left.filter((row) => row['account_id'] === id)).toEqual([]);
    }
  });

  it.each([false, true])('leave nothing behind; with an Idempotency-Key: %s', async (isKeyed) => {
    for (let round = 0; round < 2; round += 1) {
      const sub = `bob-${round}`;
      await makeEverything(sub);
      const [{ id } = {}] = (await setup.gateway.rows('account')).filter(({ subject }) => subject === sub);
      const token = await setup.sign({ sub });
      const calls = [...changes, ...changes].map(([method, path, json], index) =>
        setup.gateway.rest(method, path, {
          token,
          address,
          ...(json && { json }),
          ...(isKeyed && method === 'POST' && { headers: { 'idempotency-key': `${index}` } }),
        }),
      );
      expect(await erase(id as number)).toBe(200);
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 201, 404, 409, 422, 503].includes(status))).toEqual([]);
      await setup.gateway.erasures.run();
      for (const table of ['api_key', 'private_key', 'automation_settings', 'idempotency_record'])
        expect(
          (await setup.gateway.rows(table)).filter((row) => row['account_id'] === id),
          table,
        ).toEqual([]);
      const trail = await trailOf(setup, id as number);
      for (const row of trail) expect(row).toMatchObject({ address: null, details: null, reason: null });
      // Nothing was written down after it.
      expect(trail[0]).toMatchObject({ action: 'account-erased' });
    }
  });
});
