import { expect, it } from 'vitest';
import { pauseAfter } from '../../../src/webhooks/sending/webhooks.ts';

const second = 1000;
const minute = 60 * second;

it.each([
  [1, 5 * second],
  [2, 10 * second],
  [3, 20 * second],
  [9, 1280 * second],
  [10, 30 * minute],
  [1000, 30 * minute],
])('after %i failed attempts, the pause is %i ms, or up to a quarter shorter', (attempts, longest) => {
  const pauses = Array.from({ length: 200 }, () => pauseAfter(attempts));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(longest);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.75 * longest);
  // Attempts that failed together are not repeated together.
  expect(new Set(pauses).size).toBeGreaterThan(100);
});
