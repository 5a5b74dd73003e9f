import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyUsage } from '../../src/api-keys/usage/key-usage.ts';
import { Db } from '../../src/database/db.ts';
import { OutcomeUnknownError } from '../../src/database/failures.ts';
import { refuseRows, setReadOnly } from '../support/database.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

let failures: unknown[];
const fail = (error: unknown) => failures.push(error);
let usage: KeyUsage;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  failures = [];
  usage = new KeyUsage(new Db(setup.gateway.database.em), 90, (error) => failures.push(error));
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
const hour = 3_600_000;

const note = (keyId: number, milliseconds = 0, outcome = 'valid') =>
  usage.note({ keyId, secretId: keyId, at: new Date(noon + milliseconds), outcome });

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

  it('never moves backwards, even if another node wrote it', async () => {
    await createKeys(2);
    const other = new KeyUsage(new Db(setup.gateway.database.em), 90, () => {});
    other.note({ keyId: 1, secretId: 1, at: new Date(noon + 1000), outcome: 'valid' });
    await other[Symbol.asyncDispose]();
    note(1);
    note(2);
    await usage.write();
    expect(await lastUsed()).toEqual([noon + 1000, noon]);
  });

  it('is written at shutdown, which also stops the timer', async () => {
    await createKeys(1);
    note(1);
    await usage[Symbol.asyncDispose]();
    expect(await lastUsed()).toEqual([noon]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is dropped if the key does not exist', async () => {
    await createKeys(1);
    note(99);
    note(1);
    await usage.write();
    expect(await lastUsed()).toEqual([noon]);
    expect(failures).toEqual([]);
  });

  it('cannot be written → is kept for the next time, and each failure is reported once', async () => {
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

  it('is written at once if 10,000 keys wait', async () => {
    await createKeys(1);
    for (let id = 1; id < 10_000; id += 1) note(id);
    await new Promise(setImmediate);
    expect(await lastUsed()).toEqual([null]);
    note(10_000);
    await vi.waitFor(async () => expect(await lastUsed()).toEqual([noon]), 20_000);
  });
});

describe('the outcome of a verification', () => {
  const at = '2026-03-01T12:00:00.000Z';
  const later = '2026-03-01T13:00:00.000Z';
  const uses = () => setup.gateway.uses();

  it('is counted by key, hour and outcome, and added to earlier counts', async () => {
    await createKeys(2);
    for (const milliseconds of [0, 1, hour - 1, hour]) note(1, milliseconds);
    for (const outcome of ['expired', 'inactive', 'expired']) note(1, 5, outcome);
    note(2, 2 * hour - 1);
    await usage.write();
    const first = [
      [1, at, 'expired', 2],
      [1, at, 'inactive', 1],
      [1, at, 'valid', 3],
      [1, later, 'valid', 1],
      [2, later, 'valid', 1],
    ];
    expect(await uses()).toEqual(first);
    await usage.write();
    expect(await uses()).toEqual(first);
    note(1, 9);
    note(1, 9, 'inactive');
    await usage.write();
    expect(await uses()).toEqual([
      [1, at, 'expired', 2],
      [1, at, 'inactive', 2],
      [1, at, 'valid', 4],
      [1, later, 'valid', 1],
      [2, later, 'valid', 1],
    ]);
  });

  it('is added up for each account', async () => {
    await createKeys(2);
    await setup.gateway.createApiKey(await setup.gateway.createAccount('bob'));
    for (const key of [1, 2, 3, 99]) note(key);
    for (const milliseconds of [1, hour]) note(2, milliseconds);
    note(1, 5, 'expired');
    note(2, 5, 'expired');
    await usage.write();
    note(2);
    await usage.write();
    expect(await setup.gateway.uses('account')).toEqual([
      [1, at, 'expired', 2],
      [1, at, 'valid', 4],
      [1, later, 'valid', 1],
      [2, at, 'valid', 1],
    ]);
  });

  it('that is a refusal does not change the last use of the key', async () => {
    await createKeys(2);
    note(1, 7, 'inactive');
    note(2, 7, 'inactive');
    note(2, 3);
    await usage.write();
    expect(await lastUsed()).toEqual([null, noon + 3]);
  });

  it('is counted once, even if earlier writes failed', async () => {
    await createKeys(450);
    const { database } = setup.gateway;
    await setReadOnly(database, true);
    for (let id = 1; id <= 450; id += 1) note(id);
    await usage.write();
    for (let id = 1; id <= 450; id += 1) note(id, 1);
    await usage.write();
    await setReadOnly(database, false);
    expect(await uses()).toEqual([]);
    await usage.write();
    await usage.write();
    expect(await uses()).toEqual(Array.from({ length: 450 }, (_, index) => [index + 1, at, 'valid', 2]));
  });

  it('is stored together with the last use, or neither is', async () => {
    await createKeys(1);
    const { database } = setup.gateway;
    {
      await using _refused = await refuseRows(database, 'api_key', 'update');
      note(1);
      await usage.write();
      expect(failures).toHaveLength(1);
      expect([await uses(), await setup.gateway.uses('account')]).toEqual([[], []]);
    }
    await usage.write();
    const counted = [[1, at, 'valid', 1]];
    expect([await uses(), await setup.gateway.uses('account'), await lastUsed()]).toEqual([
      counted,
      counted,
      [noon],
    ]);
  });

  it('is not counted again if it is unknown whether it was stored', async () => {
    await createKeys(1);
    const db = new Db(setup.gateway.database.em);
    const lossy = new KeyUsage(db, 90, (error) => failures.push(error));
    const transaction = db.transaction.bind(db);
    vi.spyOn(db, 'transaction').mockImplementationOnce(async (run) => {
      await transaction(run);
      throw new OutcomeUnknownError(new Error('the connection ended'));
    });
    lossy.note({ keyId: 1, secretId: 1, at: new Date(noon), outcome: 'valid' });
    await lossy.write();
    expect(failures).toEqual([expect.any(OutcomeUnknownError)]);
    lossy.note({ keyId: 1, secretId: 1, at: new Date(noon + 1), outcome: 'valid' });
    await lossy[Symbol.asyncDispose]();
    expect(await uses()).toEqual([[1, at, 'valid', 2]]);
  });

  it('is added up if several nodes count at once', async () => {
    await createKeys(300);
    const db = new Db(setup.gateway.database.em);
    const writers = Array.from({ length: 4 }, () => new KeyUsage(db, 90, fail));
    const countAll = (writer: KeyUsage, place: number) => {
      // Each in an order of its own.
      for (let index = 0; index < 300; index += 1) {
        const keyId = 1 + ((index * 7 + place * 31) % 300);
        writer.note({ keyId, secretId: keyId, at: new Date(noon), outcome: 'valid' });
      }
      return writer.write();
    };
    for (let round = 0; round < 5; round += 1) await Promise.all(writers.map(countAll));
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
    expect(failures).toEqual([]);
    expect(await uses()).toEqual(Array.from({ length: 300 }, (_, index) => [index + 1, at, 'valid', 20]));
    expect(await setup.gateway.uses('account')).toEqual([[1, at, 'valid', 300 * 20]]);
  });

  it('is deleted when it is too old, even if two nodes delete at once', async () => {
    await createKeys(3);
    const day = 24 * hour;
    const begin = Math.floor(Date.now() / hour) * hour;
    const dated = (key: number, age: number) =>
      [key, new Date(begin - age).toISOString(), 'valid', 1] as const;
    const old = Array.from({ length: 300 }, (_, index) => index).flatMap((index) => [
      dated(1, 90 * day + (index + 1) * hour),
      dated(2, 90 * day + (index + 1) * hour),
    ]);
    const kept = [dated(1, 90 * day - hour), dated(1, 0), dated(3, 89 * day)];
    await setup.gateway.createUses([...old, ...kept]);
    vi.advanceTimersByTime(10 * 60_000);
    const other = new KeyUsage(new Db(setup.gateway.database.em), 90, fail);
    await Promise.all([usage.clean(), other.clean()]);
    await usage.clean();
    await other[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
    expect((await uses()).map(([key, when]) => [key, when]).sort()).toEqual(
      kept.map(([key, when]) => [key, when]).sort(),
    );
    expect((await setup.gateway.uses('account')).map(([, when]) => when).sort()).toEqual(
      kept.map(([, when]) => when).sort(),
    );
  });
});

describe('a verification', () => {
  it('counts as a use of the key if it succeeds, over /keys/verify and forward auth', async () => {
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
    const counts = (await gateway.uses()).map(([key, , outcome, count]) => [key, outcome, count]);
    expect(counts).toEqual([
      [1, 'valid', 1],
      [2, 'valid', 1],
      ...(counts.length === 3
        ? [[3, 'inactive', 2]]
        : [
            [3, 'inactive', 1],
            [3, 'inactive', 1],
          ]),
    ]);
  });
});
