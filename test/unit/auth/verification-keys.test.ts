import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findKey, type KeySet, UnusableKeySet } from '../../../src/auth/verification-key.ts';
import { VerificationKeys } from '../../../src/auth/verification-keys.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const down = new Error('connection refused');

/** What the issuer publishes; an error: it is down. */
let published: string[] | Error;
let reads: number;
let failures: unknown[];
let recoveries: number;
let keys: VerificationKeys;

const report = {
  failed: (error: unknown) => void failures.push(error),
  recovered: () => {
    recoveries += 1;
  },
};

const read = async (): Promise<KeySet> => {
  reads += 1;
  if (published instanceof Error) throw published;
  if (published.length === 0) throw new UnusableKeySet([]);
  return published.map((kid) => ({ kid, publicKey, algorithms: ['ES256'] }));
};

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  published = ['one'];
  reads = 0;
  // No retry comes sooner by chance.
  vi.spyOn(Math, 'random').mockReturnValue(1);
  failures = [];
  recoveries = 0;
  keys = new VerificationKeys(read, report);
});
afterEach(() => {
  keys[Symbol.dispose]();
  vi.useRealTimers();
});

describe('find', () => {
  it('the first search → the key set is read; a known key → it is not read again', async () => {
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toBeUndefined();
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toMatchObject({ kid: 'one' });
    await pass(60_000);
    await keys.find('one');
    expect(reads).toBe(1);
  });

  it('several searches at once → one read', async () => {
    const found = await Promise.all([keys.find('one'), keys.find('one'), keys.find('two'), keys.refresh()]);
    expect(found.map((key) => key?.kid)).toEqual(['one', 'one', undefined, undefined]);
    expect(reads).toBe(1);
  });

  it('an unknown key → the key set is read again, but only after 30 seconds', async () => {
    await keys.find('one');
    published = ['one', 'rotated'];
    await pass(29_999);
    expect(await keys.find('rotated')).toBeUndefined();
    expect(reads).toBe(1);
    await pass(1);
    expect(await keys.find('rotated')).toMatchObject({ kid: 'rotated' });
    expect(reads).toBe(2);
  });

  it('a read that fails → unknown keys cause the next one only 30 seconds later', async () => {
    await keys.find('one');
    published = down;
    await pass(30_000);
    expect(await keys.find('two')).toBeUndefined();
    await pass(29_999);
    expect(await keys.find('two')).toBeUndefined();
    expect(reads).toBe(2);
    expect(failures).toEqual([down]);
  });

  it('10,000 unknown keys in a minute → two reads', async () => {
    await keys.find('one');
    for (let i = 0; i < 10_000; i += 1) {
      await pass(6);
      await keys.find(`random-${i}`);
    }
    expect(reads).toBe(1 + 2);
  });
});

describe('searches that wait for a read', () => {
  /** Holds every read until it is let go. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = new VerificationKeys(() => promise.then(read), report);
    return { held, release: resolve };
  };
  const outcomes = async (asked: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(asked)).map((result) =>
      result.status === 'fulfilled' ? 'found' : (result.reason as { reason: string }).reason,
    );

  it('eight wait; all others → 503 at once, until the read is over', async () => {
    const { held, release } = hold();
    using _keys = held;
    const asked = Array.from({ length: 8 }, () => held.find('one'));
    for (let more = 0; more < 3; more += 1)
      await expect(held.find('one')).rejects.toMatchObject({ status: 503, reason: 'no-verification-keys' });
    release();
    expect(await outcomes(asked)).toEqual(Array(8).fill('found'));
    expect(await held.find('one')).toMatchObject({ kid: 'one' });
  });

  it('eight wait again for the next read; a known key is found at once', async () => {
    await keys.find('one');
    await pass(30_000);
    const asked = Array.from({ length: 20 }, () => keys.find('rotated'));
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
    published = ['one', 'rotated'];
    expect(await outcomes(asked)).toEqual([
      ...Array(8).fill('found'),
      ...Array(12).fill('verification-keys-awaited'),
    ]);
    await pass(30_000);
    expect(await outcomes(Array.from({ length: 9 }, () => keys.find('other')))).toEqual([
      ...Array(8).fill('found'),
      'verification-keys-awaited',
    ]);
  });

  it('eight wait for each read, even if reads fail', async () => {
    await keys.find('one');
    published = down;
    const asked = () => outcomes(Array.from({ length: 9 }, () => keys.find('two')));
    for (let round = 0; round < 3; round += 1) {
      await pass(30_000);
      expect(await asked()).toEqual([...Array(8).fill('found'), 'verification-keys-awaited']);
    }
    published = ['one', 'two'];
    await pass(30_000);
    expect(await asked()).toEqual([...Array(8).fill('found'), 'verification-keys-awaited']);
    expect(await keys.find('two')).toMatchObject({ kid: 'two' });
  });
});

describe('the last good set', () => {
  it('stays while the provider is down', async () => {
    await keys.find('one');
    published = down;
    await keys.refresh();
    expect(failures).toEqual([down]);
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
    expect(await keys.find('two')).toBeUndefined();
  });

  it('stays for a day while the provider is down, and no longer', async () => {
    await keys.find('one');
    published = down;
    await pass(24 * 60 * 60_000);
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
    await pass(5 * 60_000);
    await expect(keys.find('one')).rejects.toMatchObject({ reason: 'no-verification-keys' });
    expect(keys.fault).toBe('its key set could not be read');
    published = ['one'];
    await pass(1000);
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
    expect(recoveries).toBe(1);
  });

  it('is replaced when another is read, so that a withdrawn key is unknown', async () => {
    await keys.find('one');
    published = ['two'];
    await keys.refresh();
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toBeUndefined();
    expect(await keys.find('one')).toBeUndefined();
    expect(keys.current && findKey(keys.current, 'two', 'ES256')).toMatchObject({ kid: 'two' });
  });
});

describe('503', () => {
  const unavailable = expect.objectContaining({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    headers: { 'retry-after': '5' },
    reason: 'no-verification-keys',
  });

  it('as long as no set was ever read', async () => {
    published = down;
    await expect(keys.find('one')).rejects.toEqual(unavailable);
    await expect(keys.find('one')).rejects.toEqual(unavailable);
    expect(reads).toBe(1);
  });

  it('if the set has no usable key', async () => {
    published = [];
    await expect(keys.find('one')).rejects.toEqual(unavailable);
  });

  it('ends 30 seconds after the provider is up again', async () => {
    published = down;
    await expect(keys.find('one')).rejects.toEqual(unavailable);
    published = ['one'];
    await pass(30_000);
    expect(await keys.find('one')).toMatchObject({ kid: 'one' });
  });
});

describe('without keys', () => {
  it('the key set is read again after 1, 2, 4 … 30 seconds, until it has keys', async () => {
    published = down;
    await keys.refresh();
    let expected = 1;
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      await pass(seconds * 1000 - 1);
      expect(reads).toBe(expected);
      await pass(1);
      expected += 1;
      expect(reads).toBe(expected);
    }
    published = ['one'];
    await pass(30_000);
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toMatchObject({ kid: 'one' });
    await pass(60_000);
    expect(reads).toBe(expected + 1);
    expect({ failures, recoveries }).toEqual({ failures: [down], recoveries: 1 });
  });

  it('each of these waits is shortened at random, by up to a quarter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    published = down;
    await keys.refresh();
    await pass(749);
    expect(reads).toBe(1);
    await pass(1);
    expect(reads).toBe(2);
  });

  it('tokens with unknown keys cause no further reads', async () => {
    published = down;
    await keys.refresh();
    for (let sent = 0; sent < 700; sent += 1) {
      await keys.find(`random-${sent}`).catch(() => {});
      await pass(10);
    }
    expect(reads).toBe(1 + 3);
  });
});

describe('a key set without a usable key', () => {
  it('revokes all keys, and is reported once', async () => {
    await keys.find('one');
    published = [];
    for (let round = 0; round < 3; round += 1) await keys.refresh();
    await expect(keys.find('one')).rejects.toMatchObject({ reason: 'no-verification-keys' });
    expect(keys.current).toBeUndefined();
    expect(failures).toEqual([expect.objectContaining({ message: 'no key of the set can be used' })]);
    expect(keys.refreshes).toEqual({ success: 1, failure: 0, unusable: 3 });
    published = ['two'];
    await keys.refresh();
    expect(recoveries).toBe(1);
    expect(await keys.find('one')).toBeUndefined();
    published = [];
    await keys.refresh();
    expect(failures).toHaveLength(2);
  });

  it('after another failure → reported again', async () => {
    await keys.find('one');
    published = down;
    await keys.refresh();
    published = [];
    await keys.refresh();
    expect(failures).toHaveLength(2);
    expect(recoveries).toBe(0);
  });
});

describe('the fault', () => {
  it('says why tokens cannot be verified', async () => {
    published = down;
    await keys.refresh();
    expect(keys.fault).toBe('its key set could not be read');
    published = [];
    await keys.refresh();
    expect(keys.fault).toBe('no key of its set can be used');
    published = ['one'];
    await keys.refresh();
    expect(keys.fault).toBeUndefined();
  });

  it('is absent while the last good set is used', async () => {
    await keys.refresh();
    published = down;
    await keys.refresh();
    expect(keys.fault).toBeUndefined();
  });

  it('the issuer withdrew its only key → reported', async () => {
    await keys.refresh();
    published = [];
    await keys.refresh();
    expect(keys.fault).toBe('no key of its set can be used');
  });
});

describe('in the background', () => {
  it('the set is read every 5 minutes, so that a withdrawn key stops working', async () => {
    await keys.find('one');
    published = ['two'];
    await pass(5 * 60_000 - 1);
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toMatchObject({ kid: 'one' });
    await pass(1);
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toBeUndefined();
    expect(reads).toBe(2);
    await pass(5 * 60_000);
    expect(reads).toBe(3);
  });

  it('a failure is reported and breaks nothing', async () => {
    published = down;
    await pass(5 * 60_000);
    published = ['one'];
    await pass(5 * 60_000);
    expect(failures).toEqual([down]);
    expect(keys.current && findKey(keys.current, 'one', 'ES256')).toMatchObject({ kid: 'one' });
  });

  it('nothing is read once it is disposed of', async () => {
    keys[Symbol.dispose]();
    await pass(60 * 60_000);
    expect(reads).toBe(0);
  });
});
