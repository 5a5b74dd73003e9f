import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Quota } from '../../../../src/http/exchange.ts';
import { createLimiter, type Limiter, rateFields } from '../../../../src/http/rate-limits/limiter.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is left after a request was counted, or how long it is refused. */
const ask = (limit: Limiter, key: string, weight?: number): string | undefined => {
  const quotas = new Map<string, Quota>();
  try {
    limit(key, { quotas }, weight);
    return quotas.get('address')?.state;
  } catch (error) {
    return `refused for ${(error as { headers: Record<string, string> }).headers['retry-after']}`;
  }
};

describe('a limiter', () => {
  it('allows the rate, and refuses further requests until the window ends', () => {
    const limiter = createLimiter('address', { requests: 2, seconds: 30 });
    expect(ask(limiter, 'a')).toBe('"address";r=1;t=30');
    vi.advanceTimersByTime(10_001);
    expect(ask(limiter, 'a')).toBe('"address";r=0;t=20');
    expect(ask(limiter, 'a')).toBe('refused for 20');
    vi.advanceTimersByTime(19_998);
    expect(ask(limiter, 'a')).toBe('refused for 1');
    vi.advanceTimersByTime(1);
    expect(ask(limiter, 'a')).toBe('"address";r=1;t=30');
  });

  it.each([-86_400_000, -3_600_000, -1000, 1000, 3_600_000, 86_400_000])(
    'is not affected if the clock is set by %i ms',
    (milliseconds) => {
      const limiter = createLimiter('address', { requests: 1, seconds: 30 });
      ask(limiter, 'a');
      vi.setSystemTime(start + milliseconds);
      expect(ask(limiter, 'a')).toBe('refused for 30');
      vi.advanceTimersByTime(29_000);
      expect(ask(limiter, 'a')).toBe('refused for 1');
      vi.setSystemTime(start);
      vi.advanceTimersByTime(1000);
      expect(ask(limiter, 'a')).toBe('"address";r=0;t=30');
    },
  );

  it('a request that weighs more than is left → refused', () => {
    const limiter = createLimiter('address', { requests: 10, seconds: 30 });
    expect(ask(limiter, 'a', 4)).toBe('"address";r=6;t=30');
    expect(ask(limiter, 'a', 7)).toBe('refused for 30');
  });

  it('more than 50,000 keys → the least recently used is forgotten', () => {
    const limiter = createLimiter('address', { requests: 1, seconds: 86_400 });
    for (let key = 0; key < 50_000; key += 1) ask(limiter, `${key}`);
    expect(ask(limiter, '0')).toBe('refused for 86400');
    ask(limiter, 'one more');
    expect(ask(limiter, '0')).toBe('refused for 86400');
    expect(ask(limiter, '2')).toBe('refused for 86400');
    expect(ask(limiter, '1')).toBe('"address";r=0;t=86400');
  });

  it('the 300,000th key → counted, and 50,000 are kept', () => {
    const limiter = createLimiter('address', { requests: 1, seconds: 86_400 });
    const address = (key: number) => `2001:db8:${key.toString(16)}:0::/64`;
    for (let key = 0; key < 300_000; key += 1) ask(limiter, address(key));
    expect(ask(limiter, address(249_999))).toBe('"address";r=0;t=86400');
    expect(ask(limiter, address(299_999))).toBe('refused for 86400');
  });
});

describe('the remaining requests of a rate', () => {
  it('are reset after one window at the latest', () => {
    const resetsAt = new Date(start + 3_600_000);
    const { state } = rateFields('key', { rate: { requests: 9, seconds: 60 }, remaining: 8, resetsAt });
    expect(state).toBe('"key";r=8;t=60');
  });

  it.each([
    [1, 1],
    [0, 0],
    [-1, 0],
    [-5000, 0],
  ])('are never reset in a negative time: %i ms', (milliseconds, seconds) => {
    const resetsAt = new Date(start + milliseconds);
    const { state } = rateFields('key', { rate: { requests: 9, seconds: 1 }, remaining: 8, resetsAt });
    expect(state).toBe(`"key";r=8;t=${seconds}`);
  });
});
