import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { transportsOf } from '../support/transports.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const operation = {
  field: 'defaultApiKey',
  rest: ['GET', '/auth/keys/default'],
  query: '{ defaultApiKey { id keyPrefix name isActive isDefault expiresAt } }',
} as const;

const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);

const usable = { isActive: true };
const inactive = { isActive: false };
const expired = { isActive: true, expiresAt: now };
const lasting = { isActive: true, expiresAt: later(1) };
const asDefault = { isDefault: true };

describe.each(transportsOf(setup, operation))('success over %s', (_transport, read) => {
  it.each([
    ['the default', [usable, { ...usable, ...asDefault }, usable], 2],
    ['the default that has not expired yet', [usable, { ...lasting, ...asDefault }], 2],
    [
      'the oldest where the default is inactive',
      [inactive, usable, usable, { ...inactive, ...asDefault }],
      2,
    ],
    ['the oldest where the default expires now', [{ ...expired, ...asDefault }, expired, lasting, usable], 3],
    ['the oldest where none is the default', [usable, usable], 1],
    ['null where all are inactive or expired', [{ ...inactive, ...asDefault }, expired], null],
    ['null where there is no key', [], null],
  ])('answers %s', async (_name, keys, id) => {
    const bob = await setup.gateway.createAccount('bob');
    const alice = await setup.gateway.createAccount('alice');
    for (const key of keys) await setup.gateway.createApiKey(alice, key);
    await setup.gateway.createApiKey(bob, { ...usable, ...asDefault, id: 1000 });
    const before = await setup.stored();
    const { status, code, data } = await read();
    expect({ status, code, id: data?.id ?? data }).toEqual({ status: 200, code: 'OK', id });
    expect(await setup.stored()).toEqual(before);
  });

  it('answers null to somebody who was never seen, and writes nothing', async () => {
    expect(await read({}, { sub: 'carol' })).toEqual({ status: 200, code: 'OK', data: null });
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('passes over the key of the same subject of another issuer', async () => {
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), asDefault);
    await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
    expect((await read()).data).toBeNull();
  });
});

describe('200 over REST', () => {
  it('answers the whole record, or null', async () => {
    const token = await setup.sign();
    expect((await setup.gateway.rest('GET', '/auth/keys/default', { token })).text).toBe('null');
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), asDefault);
    const record = await setup.gateway.rest('GET', '/auth/keys/1', { token });
    expect((await setup.gateway.rest('GET', '/auth/keys/default', { token })).text).toBe(record.text);
  });
});
