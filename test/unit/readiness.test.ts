import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VerificationKey } from '../../src/auth/verification-key.ts';
import type { VerificationKeys } from '../../src/auth/verification-keys.ts';
import type { Database } from '../../src/database/database.ts';
import { createReadiness } from '../../src/readiness.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database that answers as it is told; only its connection is asked. */
const databaseOf = (execute: () => Promise<unknown>) =>
  ({ em: { getConnection: () => ({ execute }) } }) as unknown as Database;

const keysOf = (...kids: string[]) => ({
  keys: { current: new Map(kids.map((kid) => [kid, {} as VerificationKey])) } as unknown as VerificationKeys,
});

const some = [keysOf('a')];
const up = databaseOf(async () => []);

describe('the service is ready', () => {
  it('where the database answers, and an issuer has keys', async () => {
    expect(await createReadiness(up, some)()).toBe(true);
    expect(await createReadiness(up, [keysOf(), keysOf('a')])()).toBe(true);
  });

  it('not without keys, which costs the database nothing', async () => {
    const execute = vi.fn(async () => []);
    const unread = { keys: { current: undefined } as unknown as VerificationKeys };
    expect(await createReadiness(databaseOf(execute), [keysOf(), unread])()).toBe(false);
    expect(execute).not.toHaveBeenCalled();
  });

  it('not where the database fails', async () => {
    const down = databaseOf(() => Promise.reject(new Error('down')));
    expect(await createReadiness(down, some)()).toBe(false);
  });

  it('not where the database says nothing for two seconds; it is not asked again meanwhile', async () => {
    let answer: (rows: unknown) => void = () => {};
    const execute = vi.fn(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const isReady = createReadiness(databaseOf(execute), some);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const asked = isReady();
      await vi.advanceTimersByTimeAsync(2000);
      expect(await asked).toBe(false);
    }
    expect(execute).toHaveBeenCalledTimes(1);
    answer([]);
    await vi.advanceTimersByTimeAsync(1000);
    execute.mockImplementation(async () => []);
    expect(await isReady()).toBe(true);
  });

  it('as the database has said within the last second, however often it is asked', async () => {
    let isUp = true;
    const execute = vi.fn(() => (isUp ? Promise.resolve([]) : Promise.reject(new Error('down'))));
    const isReady = createReadiness(databaseOf(execute), some);
    expect(await Promise.all(Array.from({ length: 100 }, isReady))).toEqual(Array(100).fill(true));
    expect(execute).toHaveBeenCalledTimes(1);
    isUp = false;
    await vi.advanceTimersByTimeAsync(999);
    expect(await isReady()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isReady()).toBe(false);
    expect(execute).toHaveBeenCalledTimes(2);
  });
});
