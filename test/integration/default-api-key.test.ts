import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const read = (claims = {}) => setup.call('GET', '/auth/keys/default', undefined, claims);

const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);

const usable = { isActive: true };
const inactive = { isActive: false };
const expired = { isActive: true, expiresAt: now };
const lasting = { isActive: true, expiresAt: later(1) };
const asDefault = { isDefault: true };

describe('the default key', () => {
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
  ])('is %s', async (_name, keys, id) => {
    const bob = await setup.gateway.createAccount('bob');
    const alice = await setup.gateway.createAccount('alice');
    for (const key of keys) await setup.gateway.createApiKey(alice, key);
    await setup.gateway.createApiKey(bob, { ...usable, ...asDefault, id: 1000 });
    const before = await setup.stored();
    const { status, body } = await read();
    expect({ status, id: body?.id ?? body }).toEqual({ status: 200, id });
    expect(await setup.stored()).toEqual(before);
  });

  it('is null for a caller without an account, and nothing is written', async () => {
    expect(await read({ sub: 'carol' })).toMatchObject({ status: 200, body: null });
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('is never one of the same subject of another issuer', async () => {
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), asDefault);
    await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
    expect((await read()).body).toBeNull();
  });

  it('is the whole record, or null', async () => {
    expect((await read()).text).toBe('null');
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), asDefault);
    expect((await read()).text).toBe((await setup.call('GET', '/auth/keys/1')).text);
  });
});
