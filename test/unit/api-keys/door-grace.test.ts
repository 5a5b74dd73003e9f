import { DriverException } from '@mikro-orm/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutageGrace } from '../../../src/api-keys/verify/door-grace.ts';
import type { AccountId } from '../../../src/database/tables.ts';

const seconds = 60;
const refused = () =>
  new DriverException(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));

const report = { began: vi.fn(), ended: vi.fn() };
const keys = { probe: vi.fn(async (): Promise<unknown> => []), countUsable: () => 3, forgetBefore: vi.fn() };
let grace: OutageGrace;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.clearAllMocks();
  keys.probe.mockReset().mockRejectedValue(refused());
  grace = new OutageGrace(seconds * 1000, keys, report);
});
afterEach(() => {
  grace[Symbol.dispose]();
  vi.useRealTimers();
});

const key = { id: 7, account: 3 as AccountId };

/** Waits for an answer, which is recalled if the database is away. */
const ask = (asked: Promise<string>, deadline = Number.POSITIVE_INFINITY) =>
  grace.waitFor(
    asked,
    deadline,
    () => {},
    (error) => {
      if (error !== grace.away) throw error;
      return 'from memory';
    },
  );

const never = () => new Promise<string>(() => {});

describe('a question', () => {
  it('that is answered → the answer, which is also remembered', async () => {
    const remember = vi.fn();
    expect(await grace.waitFor(Promise.resolve('found'), Number.POSITIVE_INFINITY, remember, () => '')).toBe(
      'found',
    );
    expect(remember.mock.calls).toEqual([['found']]);
    expect(grace.away).toBeUndefined();
  });

  it('whose connection fails → from memory, and all who wait need not wait longer', async () => {
    const waiting = ask(never());
    expect(await ask(Promise.reject(refused()))).toBe('from memory');
    expect(await waiting).toBe('from memory');
    expect(grace.away).toBeDefined();
  });

  it('that fails in another way → the same error, and no outage', async () => {
    const wrong = new DriverException(Object.assign(new Error('password'), { code: '28P01' }));
    await expect(ask(Promise.reject(wrong))).rejects.toBe(wrong);
    expect(grace.away).toBeUndefined();
  });

  it('without an answer → given up shortly before its deadline, not earlier', async () => {
    const answered = vi.fn();
    void ask(never(), performance.now() + 5000).then(answered);
    await vi.advanceTimersByTimeAsync(4600);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(300);
    expect(answered).toHaveBeenCalledWith('from memory');
  });

  it('with little time left says nothing of the database', async () => {
    void ask(never(), performance.now() + 300);
    await vi.advanceTimersByTimeAsync(900);
    expect(grace.away).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(grace.away).toBeDefined();
  });

  it('that fails after it was given up → no further outage', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const answer = ask(promise);
    grace.noteFailure(refused());
    expect(await answer).toBe('from memory');
    keys.probe.mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(100);
    reject(refused());
    await vi.advanceTimersByTimeAsync(0);
    expect(grace.away).toBeUndefined();
  });

  it('that is answered after it was given up → still remembered', async () => {
    const remember = vi.fn();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = grace.waitFor(promise, Number.POSITIVE_INFINITY, remember, () => 'from memory');
    grace.noteFailure(refused());
    expect(await answer).toBe('from memory');
    resolve('found');
    await vi.advanceTimersByTimeAsync(0);
    expect(remember.mock.calls).toEqual([['found']]);
  });
});

describe('an outage', () => {
  it('is probed after 100 ms, then ever less often, down to once a second, one probe at a time', async () => {
    const begun: number[] = [];
    const start = performance.now();
    keys.probe.mockImplementation(async () => {
      begun.push(Math.round(performance.now() - start));
      throw refused();
    });
    grace.noteFailure(refused());
    grace.noteFailure(refused());
    await vi.advanceTimersByTimeAsync(4600);
    expect(begun).toEqual([100, 300, 700, 1500, 2500, 3500, 4500]);
    keys.probe.mockImplementation(never);
    keys.probe.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(keys.probe).toHaveBeenCalledTimes(1);
  });

  it('ends with the first answer of a probe, and both its beginning and its end are reported', async () => {
    grace.noteFailure(refused());
    for (let time = 0; time < 5; time += 1) grace.noteAccepted();
    keys.probe.mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(grace.away).toBeUndefined();
    expect(report.began.mock.calls).toEqual([[3, expect.objectContaining({ code: 'ECONNREFUSED' })]]);
    expect(report.ended.mock.calls).toEqual([[0.1, 5]]);
    expect(grace.accepted).toBe(5);
  });

  it('that comes again soon is probed less and less often', async () => {
    keys.probe.mockResolvedValue([]);
    const probedAfter: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      grace.noteFailure(refused());
      let waited = 0;
      for (; grace.away; waited += 100) await vi.advanceTimersByTimeAsync(100);
      probedAfter.push(waited);
    }
    expect(probedAfter).toEqual([100, 200, 400, 800]);
    await vi.advanceTimersByTimeAsync(10_001);
    grace.noteFailure(refused());
    await vi.advanceTimersByTimeAsync(100);
    expect(grace.away).toBeUndefined();
  });

  it('ends with a refusal of the database, which is an answer', async () => {
    grace.noteFailure(refused());
    keys.probe.mockRejectedValue(new DriverException(Object.assign(new Error(), { code: '42P01' })));
    await vi.advanceTimersByTimeAsync(100);
    expect(grace.away).toBeUndefined();
  });

  it('is not probed any more after the end of the service', async () => {
    grace.noteFailure(refused());
    grace[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(keys.probe).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a key that was found', () => {
  const later = async (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('may be accepted for the grace, and not a moment longer', async () => {
    const foundAt = performance.now();
    await later(seconds * 1000 - 1);
    expect(grace.isUsable(key, foundAt)).toBe(true);
    await later(1);
    expect(grace.isUsable(key, foundAt)).toBe(false);
  });

  it.each([
    ['the key', { accountId: key.account, keyId: key.id }, false],
    ['its account', { accountId: key.account }, false],
    ['another key of its account', { accountId: key.account, keyId: 8 }, true],
    ['another account', { accountId: 4 as AccountId }, true],
    ['an account with the same number', { accountId: key.id as AccountId }, true],
    ['a key with the number of the account', { accountId: 9 as AccountId, keyId: key.account }, true],
    ['nobody', { accountId: undefined }, true],
  ])('before this process changed %s', async (_what, event, isUsable) => {
    const foundAt = performance.now();
    await later(1);
    grace.noteChange(event);
    expect(grace.isUsable(key, foundAt)).toBe(isUsable);
    await later(1);
    expect(grace.isUsable(key, performance.now())).toBe(true);
  });

  it('before a change among the last 10,000 may not be accepted, whether that change is remembered or not', async () => {
    const foundAt = performance.now();
    await later(1);
    grace.noteChange({ accountId: key.account, keyId: key.id });
    await later(1);
    const foundLater = performance.now();
    await later(1);
    for (let id = 1000; id < 11_000; id += 1) grace.noteChange({ accountId: 1 as AccountId, keyId: id });
    expect(grace.isUsable(key, foundAt)).toBe(false);
    expect(grace.isUsable(key, foundLater)).toBe(true);
  });

  it('makes the grace of use for as long', async () => {
    expect(grace.isOfUse).toBe(false);
    grace.noteFound(performance.now());
    expect(grace.isOfUse).toBe(true);
    await later(seconds * 1000);
    expect(grace.isOfUse).toBe(false);
  });

  it('is forgotten after the grace', async () => {
    await later(1000);
    expect(keys.forgetBefore).toHaveBeenLastCalledWith(performance.now() - seconds * 1000);
  });
});
