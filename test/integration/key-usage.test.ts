import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyUsage } from '../../src/api-keys/key-usage.ts';
import { Db } from '../../src/database/db.ts';
import { setReadOnly } from '../support/database.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

let failures: unknown[];
let usage: KeyUsage;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  failures = [];
  usage = new KeyUsage(new Db(setup.gateway.database.em), (error) => failures.push(error));
});
afterEach(async () => {
  await usage[Symbol.asyncDispose]();
  vi.useRealTimers();
});

const createKeys = async (count: number) => {
  const alice = await setup.gateway.createAccount('alice');
  for (let index = 0; index < count; index += 1) await setup.gateway.createApiKey(alice);
};

/** When each key was last used, as it is stored, in milliseconds. */
const lastUsed = async () => (await setup.gateway.rows('api_key')).map((row) => row['last_used_at']);

const noon = Date.parse('2026-03-01T12:00:00.000Z');
const note = (keyId: number, milliseconds = 0) => usage.note(keyId, new Date(noon + milliseconds), 'valid');

describe('the last use of a key', () => {
  it('is written every 30 seconds, and not before', async () => {
    await createKeys(3);
    note(1);
    note(3, 5);
    vi.advanceTimersByTime(29_999);
    expect(await lastUsed()).toEqual([null, null, null]);
    vi.advanceTimersByTime(1);
    await usage.write();
    expect(await lastUsed()).toEqual([noon, null, noon + 5]);
    note(1, 40_000);
    vi.advanceTimersByTime(30_000);
    await usage.write();
    expect(await lastUsed()).toEqual([noon + 40_000, null, noon + 5]);
  });

  it('is the latest of several, whatever their order', async () => {
    await createKeys(1);
    for (const milliseconds of [2, 9, 1]) note(1, milliseconds);
    await usage.write();
    expect(await lastUsed()).toEqual([noon + 9]);
  });

  it('never moves backwards, whoever wrote it', async () => {
    await createKeys(2);
    const other = new KeyUsage(new Db(setup.gateway.database.em), () => {});
    other.note(1, new Date(noon + 1000), 'valid');
    await other[Symbol.asyncDispose]();
    note(1);
    note(2);
    await usage.write();
    expect(await lastUsed()).toEqual([noon + 1000, noon]);
  });

  it('is written where it is disposed of, and then no more', async () => {
    await createKeys(1);
    note(1);
    await usage[Symbol.asyncDispose]();
    expect(await lastUsed()).toEqual([noon]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is dropped for a key that is not there', async () => {
    await createKeys(1);
    note(99);
    note(1);
    await usage.write();
    expect(await lastUsed()).toEqual([noon]);
    expect(failures).toEqual([]);
  });

  it('is kept for the next time where it cannot be written, and said once a time', async () => {
    await createKeys(450);
    const { database } = setup.gateway;
    await setReadOnly(database, true);
    for (let id = 1; id <= 450; id += 1) note(id);
    await usage.write();
    note(1, 7);
    note(2, -7);
    await usage.write();
    expect(failures).toHaveLength(2);
    await setReadOnly(database, false);
    expect(await lastUsed()).toEqual(Array(450).fill(null));
    await usage.write();
    expect(await lastUsed()).toEqual([noon + 7, ...Array(449).fill(noon)]);
  });

  it('is written at once where 10,000 keys wait', async () => {
    await createKeys(1);
    for (let id = 1; id < 10_000; id += 1) note(id);
    await new Promise(setImmediate);
    expect(await lastUsed()).toEqual([null]);
    note(10_000);
    await vi.waitFor(async () => expect(await lastUsed()).toEqual([noon]));
  });
});

describe('a verification', () => {
  it('is noted where it lets somebody in, through either door, and else not', async () => {
    const { gateway } = setup;
    const alice = await gateway.createAccount('alice');
    const good = await gateway.createVerifiableKey(alice);
    const other = await gateway.createVerifiableKey(alice);
    const bad = await gateway.createVerifiableKey(alice, { isActive: false });
    const before = Date.now();
    const token = await setup.sign({ scope: 'keys.verify' });
    for (const { secret } of [other, bad])
      await gateway.rest('POST', '/keys/verify', { token, json: { key: secret } });
    for (const { secret } of [good, bad])
      await gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    expect(await lastUsed()).toEqual([null, null, null]);
    await gateway.keyUsage.write();
    const [first, second, third] = await lastUsed();
    for (const at of [first, second]) expect(at).toBeGreaterThanOrEqual(before);
    expect(third).toBeNull();
  });
});
