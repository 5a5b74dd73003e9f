import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../../../src/database/tables.ts';
import { Receiver } from '../../../src/webhooks/sending/receiver.ts';

const endpoint = {
  id: 1,
  url: 'https://hooks.example.com/',
  secrets: [],
  headers: {},
  isPaused: false,
  isFailing: false,
};
const of = (account: number, attempts = 1) => ({ account: account as AccountId, attempts });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the room for attempts at an endpoint', () => {
  it('is 16 attempts within half a second, and 64 at once', () => {
    const receiver = new Receiver(endpoint);
    for (let account = 0; account < 64; account += 1) {
      expect(receiver.room.all).toBe(16 - (account % 16));
      receiver.begin(of(account));
      if (account % 16 === 15) {
        expect(receiver.room.all).toBe(0);
        vi.advanceTimersByTime(500);
      }
    }
    expect(receiver.room.all).toBe(0);
  });

  it('grows again when an attempt ends', () => {
    const receiver = new Receiver(endpoint);
    const ends = Array.from({ length: 16 }, (_, account) => receiver.begin(of(account)));
    for (const end of ends.slice(0, 3)) end();
    expect(receiver.room.all).toBe(3);
  });

  it('is 0 while the receiver asks to wait; the longest wait counts', () => {
    const receiver = new Receiver(endpoint);
    receiver.hold(1000);
    receiver.hold(500);
    vi.advanceTimersByTime(999);
    expect(receiver.room).toEqual({ all: 0, again: 0 });
    vi.advanceTimersByTime(1);
    expect(receiver.room.all).toBe(16);
  });

  it('is 8 for one account', () => {
    const receiver = new Receiver(endpoint);
    const ends = Array.from({ length: 8 }, () => receiver.begin(of(1)));
    expect([receiver.roomOf(1, 'line'), receiver.roomOf(2, 'line')]).toEqual([0, 8]);
    expect(receiver.busyAccounts('line')).toEqual([1]);
    ends[0]?.();
    expect(receiver.roomOf(1, 'line')).toBe(1);
    expect(receiver.busyAccounts('line')).toEqual([]);
  });

  it('is 4 for retries while something fails', () => {
    const receiver = new Receiver(endpoint);
    expect(receiver.room.again).toBe(16);
    receiver.fail(1);
    expect(receiver.room).toEqual({ all: 16, again: 4 });
    for (let account = 0; account < 4; account += 1) receiver.begin(of(account, 2));
    expect(receiver.room).toEqual({ all: 12, again: 0 });
    receiver.succeed();
    expect(receiver.room.again).toBe(12);
  });

  it('is 2 for retries of one account while something fails', () => {
    const receiver = new Receiver(endpoint);
    for (let turn = 0; turn < 2; turn += 1) receiver.begin(of(1, 2));
    expect(receiver.roomOf(1, 'again')).toBe(6);
    receiver.fail(1);
    expect([receiver.roomOf(1, 'again'), receiver.roomOf(2, 'again')]).toEqual([0, 2]);
    expect([receiver.busyAccounts('again'), receiver.busyAccounts('line')]).toEqual([[1], []]);
    expect(receiver.roomOf(1, 'line')).toBe(6);
  });

  it('is 0 while it is paused or gone', () => {
    const paused = new Receiver({ ...endpoint, isPaused: true, isFailing: false });
    const gone = Object.assign(new Receiver(endpoint), { isGone: true });
    expect([paused.room.all, gone.room.all]).toEqual([0, 0]);
  });
});

describe('an endpoint that fails', () => {
  const createDown = () => {
    const receiver = new Receiver(endpoint);
    for (let times = 0; times < 49; times += 1) receiver.fail(times % 3);
    expect(receiver.isDown).toBe(false);
    receiver.fail(3);
    expect(receiver.isDown).toBe(true);
    return receiver;
  };

  it('gets one attempt a second', () => {
    const receiver = createDown();
    expect(receiver.room).toEqual({ all: 1, again: 1 });
    receiver.begin(of(1))();
    expect(receiver.room.all).toBe(0);
    vi.advanceTimersByTime(999);
    expect(receiver.room.all).toBe(0);
    vi.advanceTimersByTime(1);
  });

  it('gets one attempt a second even while others hang, up to 16 at once', () => {
    const receiver = createDown();
    const ends: (() => void)[] = [];
    for (let second = 0; second < 16; second += 1) {
      expect(receiver.room.all).toBe(1);
      ends.push(receiver.begin(of(1)));
      expect(receiver.room.all).toBe(0);
      vi.advanceTimersByTime(1000);
    }
    expect(receiver.room.all).toBe(0);
    ends[0]?.();
    expect(receiver.room.all).toBe(1);
  });

  it('remembers the accounts whose events failed, and is up again after the first success', () => {
    const receiver = createDown();
    expect(receiver.refusedAccounts.toSorted()).toEqual([0, 1, 2, 3]);
    receiver.succeed();
    expect(receiver.isDown).toBe(false);
    expect(receiver.refusedAccounts).toEqual([]);
    expect(receiver.room.all).toBe(16);
  });

  it('is logged at most once a minute, and once when it recovers', () => {
    const receiver = new Receiver(endpoint);
    expect([receiver.succeed(), receiver.fail(1), receiver.fail(1)]).toEqual([false, true, false]);
    expect([receiver.succeed(), receiver.succeed()]).toEqual([true, false]);
    expect(receiver.fail(1)).toBe(false);
    expect(receiver.succeed()).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(receiver.fail(1)).toBe(true);
  });
});
