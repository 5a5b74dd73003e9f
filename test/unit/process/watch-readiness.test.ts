import type { Logger } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Part, Verdict } from '../../../src/http/server.ts';
import { watchReadiness } from '../../../src/process/readiness.ts';

const logger = { warn: vi.fn(), info: vi.fn() };
let verdict: Verdict;
const ask = vi.fn(async () => verdict);
const watch = () => watchReadiness(ask, logger as unknown as Logger);

const silent: Part = { part: 'database', fault: 'it does not answer' };
const standby: Part = { part: 'database', fault: 'it is a standby' };
const noKeys = (issuer: string): Part => ({ part: 'verification keys', issuer, fault: 'there is none' });

const fail = (...faults: Part[]) => {
  verdict = { isReady: false, faults };
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  verdict = { isReady: true, faults: [] };
});
afterEach(() => {
  vi.useRealTimers();
});

const cannot = 'not ready: a dependency is unavailable';
const canAgain = 'a dependency is available again';

it('asked repeatedly → logs each change once', async () => {
  using watched = watch();
  for (let count = 0; count < 3; count += 1) expect(await watched.ask()).toEqual(verdict);
  expect(logger.warn).not.toHaveBeenCalled();
  fail(silent);
  for (let count = 0; count < 3; count += 1) expect(await watched.ask()).toEqual(verdict);
  expect(logger.warn.mock.calls).toEqual([[silent, cannot]]);
  fail(standby);
  for (let count = 0; count < 3; count += 1) await watched.ask();
  expect(logger.warn.mock.calls).toEqual([
    [silent, cannot],
    [standby, cannot],
  ]);
  expect(logger.info).not.toHaveBeenCalled();
  fail();
  for (let count = 0; count < 3; count += 1) await watched.ask();
  expect(logger.info.mock.calls).toEqual([[{ part: 'database', issuer: undefined }, canAgain]]);
});

it('logs the changes of each issuer separately', async () => {
  using watched = watch();
  fail(noKeys('https://a'), noKeys('https://b'));
  await watched.ask();
  fail(noKeys('https://b'), silent);
  await watched.ask();
  expect(logger.warn.mock.calls).toEqual([
    [noKeys('https://a'), cannot],
    [noKeys('https://b'), cannot],
    [silent, cannot],
  ]);
  expect(logger.info.mock.calls).toEqual([[{ part: 'verification keys', issuer: 'https://a' }, canAgain]]);
});

it('logs a change without being asked, until it is disposed of', async () => {
  const watched = watch();
  fail(silent);
  await vi.advanceTimersByTimeAsync(5000);
  expect(logger.warn.mock.calls).toEqual([[silent, cannot]]);
  watched[Symbol.dispose]();
  fail();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(logger.info).not.toHaveBeenCalled();
});

it('asked several times at once → logs a change once', async () => {
  using watched = watch();
  fail(silent);
  await Promise.all([watched.ask(), watched.ask(), watched.ask()]);
  expect(logger.warn).toHaveBeenCalledOnce();
});
