import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createApiKeys,
  describeAudit,
  describeKeyId,
  noParts,
  partsSelection,
} from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { type CallOperation, transportsOf } from '../support/transports.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const operation = {
  field: 'setDefaultApiKey',
  rest: ['PUT', '/auth/keys/{key_id}/default'],
  query: `mutation ($keyId: Int!) { setDefaultApiKey(keyId: $keyId) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection} } }`,
} as const;

const transports = transportsOf(setup, operation);
const defaults = async () =>
  (await setup.gateway.rows('api_key')).filter((row) => row['is_default'] === 1).map(({ id }) => id);
const events = () => setup.gateway.log().filter((line) => line['event']);

describe.each(transports)('success over %s', (_transport, setDefault) => {
  it('answers the record, and takes the place of the default', async () => {
    await createApiKeys(setup);
    const { status, data } = await setDefault({ keyId: 2 });
    expect(status).toBe(200);
    expect(data).toEqual({
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

  it('sets one where there was none, and leaves the default of others', async () => {
    await createApiKeys(setup);
    await setDefault({ keyId: 3 }, { sub: 'bob' });
    expect(await defaults()).toEqual([1, 3]);
    await setDefault({ keyId: 2 });
    expect(await defaults()).toEqual([2, 3]);
  });

  it('changes nothing where the key is the default already', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect((await setDefault({ keyId: 1 })).data).toMatchObject({ id: 1, is_default: true });
    expect(await setup.stored()).toEqual(before);
    expect(events()).toEqual([]);
  });

  it('takes the place of a default that is inactive, and takes a key that expires next', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, { isActive: false, isDefault: true });
    await setup.gateway.createApiKey(alice, { expiresAt: new Date(now.getTime() + 1) });
    expect((await setDefault({ keyId: 2 })).code).toBe('OK');
    expect(await defaults()).toEqual([2]);
  });
});

describe.each(transports)('409 over %s', (_transport, setDefault) => {
  it.each([
    ['inactive', { isActive: false }, 'API key is inactive'],
    ['inactive and the default', { isActive: false, isDefault: true }, 'API key is inactive'],
    ['expired now', { expiresAt: now }, 'API key has expired'],
    ['expired and the default', { expiresAt: now, isDefault: true }, 'API key has expired'],
    ['inactive and expired', { isActive: false, expiresAt: now }, 'API key is inactive'],
  ])('is the answer for a key that is %s; the default stays', async (_name, values, message) => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, values);
    await setup.gateway.createApiKey(alice, { isDefault: !('isDefault' in values) });
    const before = await setup.stored();
    expect(await setDefault({ keyId: 1 })).toEqual({ status: 409, code: 'CONFLICT', message });
    expect(await setup.stored()).toEqual(before);
    expect(events()).toEqual([]);
  });
});

describe('100 calls at once', () => {
  const atOnce = (keyOf: (index: number) => number) =>
    Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const [, setDefault] = transports[index % 2] as [string, CallOperation];
        return setDefault({ keyId: keyOf(index) });
      }),
    );

  it('for ten keys leave one default, and all succeed', async () => {
    const alice = await setup.gateway.createAccount('alice');
    for (let id = 1; id <= 10; id += 1) await setup.gateway.createApiKey(alice, { isDefault: id === 1 });
    const outcomes = await atOnce((index) => (index % 10) + 1);
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['OK']));
    expect(outcomes.every(({ data }) => data.is_default)).toBe(true);
    const written = await setup.gateway.rows('audit_event');
    // Who was last stands last in the record, too.
    expect(await defaults()).toEqual([written.at(-1)?.['target'] ?? 1]);
  });

  it('for one key are one change', async () => {
    await createApiKeys(setup);
    const outcomes = await atOnce(() => 2);
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['OK']));
    expect(await defaults()).toEqual([2]);
    expect(await setup.gateway.rows('audit_event')).toHaveLength(1);
  });

  it('beside its deactivation never leave an active default that was not asked for', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    const [outcomes] = await Promise.all([
      atOnce(() => 2),
      setup.gateway.rest('DELETE', '/auth/keys/2', { token }),
    ]);
    for (const outcome of outcomes) {
      if (outcome.code !== 'OK')
        expect(outcome).toMatchObject({ status: 409, message: 'API key is inactive' });
    }
    expect(await defaults()).toEqual([outcomes.some(({ code }) => code === 'OK') ? 2 : 1]);
  });
});

describe('REST', () => {
  it('needs neither a body nor a Content-Type, and reads none', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    expect((await setup.gateway.rest('PUT', '/auth/keys/2/default', { token })).status).toBe(200);
    const call = { token, body: 'key_id=2', headers: { 'content-type': 'text/plain' } };
    expect((await setup.gateway.rest('PUT', '/auth/keys/1/default?key_id=2', call)).body.id).toBe(1);
  });
});

describe('the audit event', () => {
  describeAudit(setup, operation, 2);
});

describeKeyId(setup, operation);
