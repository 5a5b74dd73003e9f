import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { hashWhole, importedDigests, wholeKey } from '../../src/api-keys/verify/imported-keys.ts';
import { type AccountId, ApiKeySecret, AutomationSettings } from '../../src/database/tables.ts';
import { secretOfSamePrefix, withBadChecksum } from '../support/api-key-secrets.ts';
import { createTestGateway } from '../support/gateway.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
afterEach(() => void vi.useRealTimers());

/** A provider's backend, signed in as itself (client credentials): no person, no `openid`. */
const backend = { sub: 'backend', client_id: 'backend', scope: 'keys.verify' };

const rest = async (json: object) =>
  setup.gateway.rest('POST', '/keys/verify', { token: await setup.sign(backend), json });

/** The answer to a verification. */
const verify = async (key: string, question: object = {}) => {
  const { status, body } = await rest({ key, ...question });
  expect(status).toBe(200);
  return body;
};

const createKey = async (values = {}) => {
  const alice = await setup.gateway.createAccount('alice');
  const key = await setup.gateway.createVerifiableKey(alice, values);
  return { ...key, userId: alice };
};

const unknown = {
  valid: false,
  reason: 'not_found',
  stale: false,
  assertion: null,
  key_id: null,
  user_id: null,
  owner_kind: null,
  organization_id: null,
  expires_at: null,
  name: null,
  permissions: [],
  metadata: null,
  rate_limit: null,
  quota: null,
  plan: null,
  entitlement: null,
  automation: null,
};

/** What a key answers of which nothing was told, and whose owner has set nothing. */
const plain = {
  permissions: [],
  metadata: null,
  rate_limit: null,
  quota: null,
  plan: null,
  entitlement: { metadata: null, rate_limit: null, quota: null },
  automation: { is_enabled: null, session_duration: null },
};

const freeze = (date: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(date) });

it('a secret that was made here and imported as well → the key that was made here', async () => {
  const { gateway } = setup;
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  const { id, secret } = await gateway.createVerifiableKey(alice);
  const other = await gateway.createApiKey(bob);
  const [imported] = importedDigests(gateway.secrets.peppers, hashWhole(secret));
  const row = { apiKey: other, digest: imported?.digest, pepperVersion: imported?.version };
  await gateway.database.em.fork().insert(ApiKeySecret, row as never);
  vi.spyOn(gateway.importedKeys, 'waysOf').mockReturnValue([wholeKey]);
  const token = await setup.sign({ scope: 'keys.verify' });
  const { body } = await gateway.rest('POST', '/keys/verify', { token, json: { key: secret } });
  expect(body).toMatchObject({ valid: true, key_id: id, user_id: alice });
});

it('a mistyped or shortened key → refused without asking the database', async () => {
  const account = await setup.gateway.createAccount('alice');
  const { secret } = await setup.gateway.createVerifiableKey(account);
  const token = await setup.sign({ scope: 'keys.verify' });
  const wrong = [secret.slice(0, -1), secret.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'x'];
  const { sql } = await recordStatements(setup.gateway.database, async () => {
    for (const key of wrong) {
      const { body } = await setup.gateway.rest('POST', '/keys/verify', { token, json: { key } });
      expect(body.reason).toBe('not_found');
    }
  });
  expect(sql).toEqual([]);
});

describe('200', () => {
  it('a valid key → its owner', async () => {
    const { id, secret, userId } = await createKey();
    expect(await verify(secret)).toEqual({
      valid: true,
      reason: null,
      stale: false,
      assertion: null,
      key_id: id,
      user_id: userId,
      owner_kind: 'person',
      organization_id: null,
      expires_at: null,
      name: 'Laptop',
      ...plain,
    });
  });

  it.each<[string, (secret: string) => string]>([
    ['unknown', () => createApiKeySecret()],
    ['unknown, of the same prefix', secretOfSamePrefix],
    ['of a bad checksum', withBadChecksum],
    ['cut off', (secret) => secret.slice(0, -1)],
    ['with a space at its end', (secret) => `${secret} `],
    ['in capitals', (secret) => secret.toUpperCase()],
    ['nothing', () => ''],
    ['no text that a database could store', () => 'sk-\u0001'],
    ['of 1000 characters', () => 'x'.repeat(1000)],
    ['an SQL fragment', () => "' or 1=1 --"],
  ])('a key that is %s → not_found, and nothing else is told', async (_what, change) => {
    const { secret } = await createKey();
    expect(await verify(change(secret))).toEqual(unknown);
  });

  it('an expired or inactive key → the reason and its owner', async () => {
    const expiresAt = new Date('2026-02-01T00:00:00.000Z');
    const { id, secret, userId } = await createKey({ expiresAt, name: null });
    const found = {
      valid: false,
      stale: false,
      assertion: null,
      key_id: id,
      user_id: userId,
      owner_kind: 'person',
      organization_id: null,
      name: null,
      expires_at: expiresAt.toISOString(),
      ...plain,
    };
    expect(await verify(secret)).toEqual({ ...found, reason: 'expired' });
    await setup.gateway.database.em.fork().execute('update api_key set is_active = false');
    expect(await verify(secret)).toEqual({ ...found, reason: 'inactive' });
  });

  it.each([
    ['2026-06-30T23:59:59.999Z', true, null],
    ['2026-07-01T00:00:00.000Z', false, 'expired'],
    ['2026-07-01T00:00:00.001Z', false, 'expired'],
  ])('a key that expires at midnight, at %s → valid: %s', async (now, valid, reason) => {
    const { secret } = await createKey({ expiresAt: new Date('2026-07-01T00:00:00.000Z') });
    freeze(now);
    expect(await verify(secret)).toMatchObject({ valid, reason });
  });

  it.each([
    ['2026-06-30T23:59:59.999Z', true, null],
    ['2026-07-01T00:00:00.000Z', false, 'rotated'],
    ['2026-07-01T00:00:00.001Z', false, 'rotated'],
  ])('a secret that was rotated out until midnight, at %s → valid: %s', async (now, valid, reason) => {
    const { id, secret } = await createKey();
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, new Date('2026-07-01T00:00:00.000Z'));
    freeze(now);
    expect(await verify(old)).toMatchObject({ valid, reason, key_id: id });
    expect(await verify(secret)).toMatchObject({ valid: true, key_id: id });
  });

  it('both secrets of an inactive or expired key → refused', async () => {
    const { id, secret } = await createKey({ expiresAt: new Date('2026-07-01T00:00:00.000Z') });
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, new Date('2026-12-01T00:00:00.000Z'));
    freeze('2026-07-01T00:00:00.000Z');
    for (const each of [secret, old]) expect((await verify(each)).reason).toBe('expired');
    await setup.gateway.database.em.fork().execute('update api_key set is_active = false');
    for (const each of [secret, old]) expect((await verify(each)).reason).toBe('inactive');
  });

  it('writes nothing: no row, no account, no audit event', async () => {
    const { secret } = await createKey();
    const everything = async () => [await setup.stored(), await setup.gateway.rows('audit_event')];
    const before = await everything();
    await verify(secret);
    await verify(createApiKeySecret());
    expect(await everything()).toEqual(before);
  });
});

describe('permissions', () => {
  const holding = (...names: string[]) => createKey({ permissions: JSON.stringify(names) });
  const fifty = Array.from({ length: 50 }, (_, index) => `name-${index}`);

  it.each<[string[] | null, string[], boolean]>([
    [null, [], true],
    [null, ['documents.read'], false],
    [['documents.read'], [], true],
    [['documents.read'], ['documents.read'], true],
    [['documents.read'], ['documents.write'], false],
    [['documents.read'], ['documents.read', 'documents.write'], false],
    [['documents.read'], ['documents.reader'], false],
    [['documents.read', 'documents.write'], ['documents.write', 'documents.read'], true],
    [['documents.*'], ['documents.read', 'documents.write.all'], true],
    [['documents.*'], ['documents'], false],
    [['documents.*'], ['documents.'], false],
    [['documents.*'], ['documents.*'], true],
    [['documents.*'], ['documentsxread'], false],
    [['documents*'], ['documents.read'], false],
    [['documents:*'], ['documents:read'], false],
    [['*.read'], ['documents.read'], false],
    [['.*'], ['documents.read'], false],
    [['*'], ['documents.read', '*', 'a.*'], true],
    [['documents.read'], ['*'], false],
    [['documents.read'], ['documents.*'], false],
    [fifty, fifty, true],
    [fifty.slice(1), fifty, false],
  ])('of a key: %j, asked for: %j → %s', async (held, asked, valid) => {
    const { secret } = held ? await holding(...held) : await createKey();
    const reason = valid ? null : 'insufficient_permissions';
    const permissions = held ?? [];
    expect(await verify(secret, { permissions: asked })).toMatchObject({ valid, reason, permissions });
  });

  it('null → none are asked for', async () => {
    const { secret } = await createKey();
    expect(await verify(secret, { permissions: null })).toMatchObject({ valid: true });
  });
});

describe('an address', () => {
  const allowed = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32', '::ffff:203.0.113.0/120'];

  it.each<[string[] | null, string | null, boolean]>([
    [null, null, true],
    [null, '192.0.2.7', true],
    [allowed, null, false],
    [allowed, '192.0.2.7', true],
    [allowed, '::ffff:192.0.2.7', true],
    [allowed, '::ffff:c000:207', true],
    [allowed, '192.0.3.1', false],
    [allowed, '::ffff:192.0.3.1', false],
    [allowed, '198.51.100.7', true],
    [allowed, '198.51.100.8', false],
    [allowed, '2001:DB8:1::1', true],
    [allowed, '2001:db9::1', false],
    [allowed, '203.0.113.9', true],
    [allowed, '203.0.114.9', false],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '2001:db8::1', true],
  ])('of a key from %j: %s → %s', async (ranges, address, valid) => {
    const { secret } = await createKey({ allowedAddresses: ranges && JSON.stringify(ranges) });
    const reason = valid ? null : 'address_not_allowed';
    expect(await verify(secret, { address })).toMatchObject({ valid, reason });
  });

  it('is the one in the request, not the one the request comes from', async () => {
    const { secret } = await createKey({ allowedAddresses: '["192.0.2.7"]' });
    const token = await setup.sign(backend);
    const call = { token, json: { key: secret }, address: '192.0.2.7' };
    const { body } = await setup.gateway.rest('POST', '/keys/verify', call);
    expect(body).toMatchObject({ valid: false, reason: 'address_not_allowed' });
  });
});

it('several reasons → the first, and all that is known of the key', async () => {
  const past = new Date('2026-01-01T00:00:00.000Z');
  const parts = {
    permissions: '["documents.read"]',
    metadata: '{"plan":"basic"}',
    allowedAddresses: '["192.0.2.7"]',
  };
  const account = await setup.gateway.createAccount('alice');
  const reasonOf = async (values: object, question: object, worksUntil: Date | null = null) => {
    const id = await setup.gateway.createApiKey(account, { ...parts, ...values });
    const secret = createApiKeySecret();
    await setup.gateway.addSecret(id, secret, worksUntil);
    const answer = await verify(secret, question);
    expect(answer).toMatchObject({ permissions: ['documents.read'], metadata: { plan: 'basic' } });
    return answer.reason;
  };
  const wrong = { permissions: ['documents.write'], address: '192.0.2.8' };
  expect(await reasonOf({ isActive: false, expiresAt: past }, wrong, past)).toBe('inactive');
  expect(await reasonOf({ expiresAt: past }, wrong, past)).toBe('expired');
  expect(await reasonOf({}, wrong, past)).toBe('rotated');
  expect(await reasonOf({}, wrong)).toBe('address_not_allowed');
  expect(await reasonOf({}, { ...wrong, address: '192.0.2.7' })).toBe('insufficient_permissions');
  expect(await reasonOf({}, { address: '192.0.2.7' })).toBeNull();
});

it('metadata comes back as it was given', async () => {
  const metadata = { plan: 'basic', 'a b': [1, null, { é: '\u2028' }], __proto: {}, n: 1e300, '': false };
  const { secret } = await createKey({ metadata: JSON.stringify(metadata) });
  expect((await verify(secret)).metadata).toEqual(metadata);
});

describe("the owner's settings", () => {
  const set = async (account: AccountId, values: object) => {
    const now = new Date();
    const row = { account, createdAt: now, updatedAt: now, ...values };
    await setup.gateway.database.em.fork().insert(AutomationSettings, row);
  };

  it("are the owner's only, and apply to the next answer", async () => {
    const { userId } = await createKey();
    // Its number is not that of the account.
    const { secret } = await setup.gateway.createVerifiableKey(userId);
    await set(await setup.gateway.createAccount('bob'), { isEnabled: false, sessionDuration: 60 });
    expect((await verify(secret)).automation).toEqual({ is_enabled: null, session_duration: null });
    await set(userId, { isEnabled: true, sessionDuration: 600 });
    expect((await verify(secret)).automation).toEqual({ is_enabled: true, session_duration: 600 });
    const token = await setup.sign({ sub: 'alice' });
    await setup.gateway.rest('PUT', '/automation/settings', { token, json: { is_enabled: false } });
    expect((await verify(secret)).automation).toEqual({ is_enabled: false, session_duration: 600 });
  });

  it("never set → the operator's defaults, cleared → null", async () => {
    const automationDefaults = { isEnabled: true, sessionDuration: 3600 };
    await using gateway = await createTestGateway(setup.issuer, { automationDefaults });
    const alice = await gateway.createAccount('alice');
    const { secret } = await gateway.createVerifiableKey(alice);
    const automation = async () => {
      const token = await setup.sign(backend);
      return (await gateway.rest('POST', '/keys/verify', { token, json: { key: secret } })).body.automation;
    };
    expect(await automation()).toEqual({ is_enabled: true, session_duration: 3600 });
    const token = await setup.sign({ sub: 'alice' });
    const json = { is_enabled: null, session_duration: 60 };
    await gateway.rest('PUT', '/automation/settings', { token, json });
    expect(await automation()).toEqual({ is_enabled: null, session_duration: 60 });
  });
});

describe('422', () => {
  it.each([
    ['a text that is too long', 'x'.repeat(1001)],
    ['a number', 5],
    ['null', null],
    ['a list', ['sk-']],
    ['nothing', undefined],
  ])('%s as the key → 422', async (_what, key) => {
    const answer = await rest({ key });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'key'] }] } });
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `name-${index}`);

  it.each<[unknown, string[], string]>([
    [names(51), [], 'too_long'],
    [['Documents.read'], ['0'], 'string_pattern_mismatch'],
    [['documents.read', 'documents read'], ['1'], 'string_pattern_mismatch'],
    [[''], ['0'], 'string_pattern_mismatch'],
    [['x'.repeat(101)], ['0'], 'string_pattern_mismatch'],
    [['a\n'], ['0'], 'string_pattern_mismatch'],
    [['é'], ['0'], 'string_pattern_mismatch'],
    [['a', 'a'], [], 'value_error'],
    [[null], ['0'], 'string_type'],
    [[7], ['0'], 'string_type'],
    [{ '0': 'a' }, [], 'list_type'],
    ['documents.read', [], 'list_type'],
  ])('the permissions %j → 422', async (permissions, inner, type) => {
    const answer = await rest({ key: 'sk-', permissions });
    expect(answer.body.detail).toMatchObject([{ loc: ['body', 'permissions', ...inner], type }]);
    expect(answer.status).toBe(422);
  });

  it.each<[unknown, string]>([
    [-1, 'greater_than_equal'],
    [1_000_001, 'less_than_equal'],
    [1.5, 'int_from_float'],
    [2 ** 31, 'int_parsing_size'],
    ['1', 'int_type'],
    [true, 'int_type'],
    [[1], 'int_type'],
  ])('the cost %j → 422', async (cost, type) => {
    const answer = await rest({ key: 'sk-', cost });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'cost'], type }] } });
  });

  it.each<[unknown, string]>([
    ['', 'value_error'],
    ['localhost', 'value_error'],
    ['192.0.2.0/24', 'value_error'],
    ['192.0.2.7:80', 'value_error'],
    ['192.0.2.07', 'value_error'],
    ['3221225991', 'value_error'],
    ['[::1]', 'value_error'],
    ['fe80::1%eth0', 'value_error'],
    [`fe80::1%${'x'.repeat(1000)}`, 'value_error'],
    [' 192.0.2.7', 'value_error'],
    [7, 'string_type'],
    [['192.0.2.7'], 'string_type'],
  ])('the address %j → 422', async (address, type) => {
    const answer = await rest({ key: 'sk-', address });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'address'], type }] } });
  });

  it.each([0, 1, 1_000_000, 2.0, null])('the cost %j → accepted', async (cost) => {
    const { secret } = await createKey();
    expect((await verify(secret, { cost })).valid).toBe(true);
  });
});

describe('a key', () => {
  it('is in no log line', async () => {
    const { secret } = await createKey();
    await verify(secret);
    await verify(`${secret}x`);
    const log = JSON.stringify(setup.gateway.log());
    expect(log).toContain('/keys/verify');
    expect(log).not.toContain(secret.slice(9));
  });

  it('in a URL → refused', async () => {
    const { secret } = await createKey();
    const token = await setup.sign(backend);
    expect((await setup.gateway.rest('GET', `/keys/verify?key=${secret}`, { token })).status).toBe(405);
    const target = `/graphql?query=${encodeURIComponent(`mutation { verifyApiKey(key: "${secret}") { valid } }`)}`;
    expect((await setup.gateway.fetch('GET', target, { token })).status).toBe(405);
  });
});
