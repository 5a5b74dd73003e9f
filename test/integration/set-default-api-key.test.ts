import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKeys, noParts } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const setDefault = (id: number, claims = {}) =>
  setup.call('PUT', `/auth/keys/${id}/default`, undefined, claims);

const defaults = async () =>
  (await setup.gateway.rows('api_key')).filter((row) => row['is_default'] === 1).map(({ id }) => id);
const events = () => setup.gateway.log().filter((line) => line['event']);

describe('an active key', () => {
  it('becomes the default instead of the one before → the record', async () => {
    await createApiKeys(setup);
    const { status, body } = await setDefault(2);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 2,
      key_prefix: 'sk-a1b2c3',
      name: null,
      created_at: '2026-01-31T12:00:00.000Z',
      is_active: true,
      is_default: true,
      encrypted_key: null,
      encryption_version: 1,
      expires_at: null,
      deactivated_at: null,
      previous_works_until: null,
      last_used_at: null,
      ...noParts,
    });
    expect(await defaults()).toEqual([2]);
    expect(await setup.gateway.rows('audit_event')).toMatchObject([
      { account_id: 1, action: 'default-api-key-set', target: 2 },
    ]);
    expect(events()).toMatchObject([{ event: 'default-api-key-set', accountId: 1, keyId: 2 }]);
  });

  it('becomes the default if there was none; the defaults of others stay', async () => {
    await createApiKeys(setup);
    await setDefault(3, { sub: 'bob' });
    expect(await defaults()).toEqual([1, 3]);
    await setDefault(2);
    expect(await defaults()).toEqual([2, 3]);
  });

  it('that is the default already → nothing changes', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect((await setDefault(1)).body).toMatchObject({ id: 1, is_default: true });
    expect(await setup.stored()).toEqual(before);
    expect(events()).toEqual([]);
  });

  it('that is about to expire becomes the default instead of an inactive one', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, { isActive: false, isDefault: true });
    await setup.gateway.createApiKey(alice, { expiresAt: new Date(now.getTime() + 1) });
    expect((await setDefault(2)).status).toBe(200);
    expect(await defaults()).toEqual([2]);
  });
});

it.each([
  ['inactive', { isActive: false }, 'API key is inactive'],
  ['inactive and the default', { isActive: false, isDefault: true }, 'API key is inactive'],
  ['expired now', { expiresAt: now }, 'API key has expired'],
  ['expired and the default', { expiresAt: now, isDefault: true }, 'API key has expired'],
  ['inactive and expired', { isActive: false, expiresAt: now }, 'API key is inactive'],
])('%s → 409, and the default stays', async (_name, values, message) => {
  const alice = await setup.gateway.createAccount('alice');
  await setup.gateway.createApiKey(alice, values);
  await setup.gateway.createApiKey(alice, { isDefault: !('isDefault' in values) });
  const before = await setup.stored();
  expect(await setDefault(1)).toMatchObject({ status: 409, body: { detail: message } });
  expect(await setup.stored()).toEqual(before);
  expect(events()).toEqual([]);
});

describe('100 calls at once', () => {
  const atOnce = (keyOf: (index: number) => number) =>
    Promise.all(Array.from({ length: 100 }, (_, index) => setDefault(keyOf(index))));

  it('for ten keys → all succeed, and one is the default', async () => {
    const alice = await setup.gateway.createAccount('alice');
    for (let id = 1; id <= 10; id += 1) await setup.gateway.createApiKey(alice, { isDefault: id === 1 });
    const answers = await atOnce((index) => (index % 10) + 1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.every(({ body }) => body.is_default)).toBe(true);
    const written = await setup.gateway.rows('audit_event');
    // Who was last stands last in the record, too.
    expect(await defaults()).toEqual([written.at(-1)?.['target'] ?? 1]);
  });

  it('for one key → one change', async () => {
    await createApiKeys(setup);
    const answers = await atOnce(() => 2);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await defaults()).toEqual([2]);
    expect(await setup.gateway.rows('audit_event')).toHaveLength(1);
  });

  it('beside its deactivation → the default is the key or stays', async () => {
    await createApiKeys(setup);
    const [answers] = await Promise.all([atOnce(() => 2), setup.call('DELETE', '/auth/keys/2')]);
    const refusals = answers.filter(({ status }) => status !== 200);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 409, body: { detail: 'API key is inactive' } });
    expect(await defaults()).toEqual([refusals.length < answers.length ? 2 : 1]);
  });
});

it('a request needs neither a body nor a Content-Type, and neither is read', async () => {
  await createApiKeys(setup);
  expect((await setDefault(2)).status).toBe(200);
  const call = { token: await setup.sign(), body: 'key_id=2', headers: { 'content-type': 'text/plain' } };
  expect((await setup.gateway.rest('PUT', '/auth/keys/1/default?key_id=2', call)).body.id).toBe(1);
});
