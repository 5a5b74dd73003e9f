import { describe, expect, it } from 'vitest';
import { english } from '../../support/languages.ts';

const { dayOf, duration, relative } = english;

const now = new Date(2026, 10, 21, 12);

describe('relative', () => {
  it.each([
    [0, 'just now'],
    [-59, 'just now'],
    [-60, '1 minute ago'],
    [-7_200, '2 hours ago'],
    [-86_400, '1 day ago'],
    [3 * 86_400, 'in 3 days'],
    [89.99 * 86_400, 'in 3 months'],
    [14 * 86_400, 'in 2 weeks'],
    [-400 * 86_400, '1 year ago'],
  ])('%i seconds from now → the distance in words', (seconds, words) => {
    expect(relative(new Date(now.getTime() + seconds * 1_000), now)).toBe(words);
  });
});

describe('dayOf', () => {
  it.each([
    [new Date(2026, 10, 21, 0, 0), 'Today'],
    [new Date(2026, 10, 20, 23, 59), 'Yesterday'],
    [new Date(2026, 10, 12, 8), '12 November 2026'],
  ])('names the day of %s', (at, words) => {
    expect(dayOf(at, now)).toBe(words);
  });
});

describe('duration', () => {
  it.each([
    [0, '0 seconds'],
    [60, '1 minute'],
    [5_400, '1 hour 30 minutes'],
    [86_401, '1 day 1 second'],
    [604_800, '7 days'],
  ])('says %i seconds in words', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });
});
