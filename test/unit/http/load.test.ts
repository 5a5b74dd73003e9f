import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Load } from '../../../src/http/load.ts';

const lines: object[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });

let load: Load;
/** How far the clock has run ahead of the timers, as it does where the event loop is late. */
let lateness: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  lateness = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() + lateness);
  load = new Load(2, logger);
  lines.length = 0;
});
afterEach(() => {
  load[Symbol.dispose]();
  vi.useRealTimers();
});

const sampleLate = (milliseconds: number) => {
  lateness += milliseconds;
  vi.advanceTimersByTime(100);
};

describe('overload', () => {
  it('begins with more requests in flight than allowed', () => {
    load.inFlight = 2;
    expect(load.isTooMuch).toBe(false);
    load.inFlight = 3;
    expect(load.isTooMuch).toBe(true);
  });

  it.each([
    [499, false],
    [501, true],
  ])(
    'an event loop that is late twice in a row by %i ms → overload above 500 ms',
    (milliseconds, isTooMuch) => {
      sampleLate(milliseconds);
      expect(load.isTooMuch).toBe(false);
      sampleLate(milliseconds);
      expect(load.isTooMuch).toBe(isTooMuch);
    },
  );

  it.each([
    [1099, 1099, false],
    [1101, 1101, true],
    [1101, 501, true],
    [5000, 499, false],
  ])(
    'a turn of the event loop of %i ms, %i ms of it work → overload if both are long',
    (milliseconds, work, isTooMuch) => {
      vi.spyOn(process, 'threadCpuUsage').mockReturnValue({ user: work * 600, system: work * 400 });
      lateness = milliseconds;
      expect(load.isTooMuch).toBe(isTooMuch);
    },
  );

  it('is over once the event loop is on time again', () => {
    sampleLate(1000);
    sampleLate(1000);
    expect(load.isTooMuch).toBe(true);
    vi.advanceTimersByTime(2000);
    expect(load.isTooMuch).toBe(false);
  });
});

describe('the log', () => {
  it('says at most every ten seconds how many requests were refused', () => {
    for (let refused = 0; refused < 3; refused += 1) load.noteRefusal();
    vi.advanceTimersByTime(100);
    expect(lines).toMatchObject([{ msg: 'overloaded: refusing requests', refused: 3, inFlight: 0 }]);
    load.noteRefusal();
    vi.advanceTimersByTime(9_900);
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(200);
    expect(lines).toMatchObject([{ refused: 3 }, { refused: 1 }]);
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(2);
  });
});

it('disposed of → stops measuring', () => {
  load[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});
