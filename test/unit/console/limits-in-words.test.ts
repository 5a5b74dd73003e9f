import { describe, expect, it } from 'vitest';
import {
  leftInWords,
  quotaInWords,
  quotaNow,
  rateInWords,
} from '../../../web/console/keys/limits-in-words.ts';
import { english } from '../../support/languages.ts';

describe('limits in words', () => {
  it.each([
    [100, 60, '100 requests per minute'],
    [1, 3_600, '1 request per hour'],
    [1_000_000, 86_400, '1,000,000 requests per day'],
    [5, 90, '5 requests every 1 minute 30 seconds'],
  ])('says a rate limit of %i in %i seconds', (limit, windowSeconds, words) => {
    expect(rateInWords(english, { limit, windowSeconds })).toBe(words);
  });

  it.each([
    [1_000, 'NEVER', 1_000, '1,000 requests in total', '1,000 of 1,000 requests left'],
    [1, 'DAILY', 0, '1 request per day', 'None of 1 request left today'],
    [1e9, 'MONTHLY', 1, '1,000,000,000 requests per month', '1 of 1,000,000,000 requests left this month'],
  ] as const)('says a quota of %i, %s, with %i left', (limit, refill, remaining, words, left) => {
    expect(quotaInWords(english, { limit, refill })).toBe(words);
    expect(leftInWords(english, { limit, refill }, remaining)).toBe(left);
  });
});

describe('quotaNow', () => {
  const quota = { limit: 10, remaining: 3, refillsAt: '2026-11-23T00:00:00.000Z' };

  it('before the end of the period → unchanged', () => {
    expect(quotaNow(quota, new Date('2026-11-22T23:59:59.999Z'))).toEqual(quota);
    expect(quotaNow({ ...quota, refillsAt: null }, new Date(8.64e15))).toMatchObject({ remaining: 3 });
  });

  it('after the end of the period → full', () => {
    expect(quotaNow(quota, new Date(quota.refillsAt))).toEqual({ limit: 10, remaining: 10, refillsAt: null });
  });
});
