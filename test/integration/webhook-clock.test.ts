import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { Clock } from '../../src/webhooks/sending/clock.ts';
import { noteExpiries } from '../../src/webhooks/sending/expiries.ts';
import { moveDatabaseClock } from '../support/database-clock.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const hour = 60 * 60_000;
const db = () => new Db(setup.gateway.database.em);

/** By how much the wall clock and the time since the start are later than they are, in milliseconds. */
const shift = { wall: 0, passed: 0 };
let lines: string[];
let corrections: number;

beforeEach(async () => {
  Object.assign(shift, { wall: 0, passed: 0 });
  lines = [];
  corrections = 0;
  const { now } = Date;
  const { now: passed } = performance;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + shift.wall);
  vi.spyOn(performance, 'now').mockImplementation(() => passed.call(performance) + shift.passed);
  await db().kysely.insertInto('webhook_clock').values({ id: 1, expiries_told_until: new Date() }).execute();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A clock, and what it says after an expiry was announced up to then. */
const createClock = () => {
  const database = db();
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const clock = new Clock(database, logger, () => {
    corrections += 1;
  });
  return async () => {
    const isBelieved = await clock.check();
    if (isBelieved) await noteExpiries(database, clock.now());
    return isBelieved;
  };
};

/** Sets the clock on the wall, which is the database's where it has one. */
const turn = async (milliseconds: number) => {
  shift.wall += milliseconds;
  await moveDatabaseClock(setup.gateway.database, shift.wall / 1000);
};

/** Lets time pass. */
const pass = async (milliseconds: number) => {
  shift.passed += milliseconds;
  await turn(milliseconds);
};

it('a clock that keeps time → trusted', async () => {
  const check = createClock();
  expect(await check()).toBe(true);
  await pass(5 * hour);
  expect(await check()).toBe(true);
  expect(lines).toEqual([]);
});

it('a clock that leaps ahead → not trusted for an hour, and reported once', async () => {
  const check = createClock();
  await check();
  await turn(4 * 24 * hour);
  expect(await check()).toBe(false);
  await pass(0.9 * hour);
  expect(await check()).toBe(false);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the clock jumped far ahead');
  await pass(0.2 * hour);
  expect(await check()).toBe(true);
  await pass(24 * hour);
  expect(await check()).toBe(true);
  expect(lines).toHaveLength(1);
});

it('a clock that is corrected after a leap → trusted again, until the next leap', async () => {
  const check = createClock();
  await check();
  for (let leap = 1; leap <= 2; leap += 1) {
    await turn(4 * 24 * hour);
    expect(await check()).toBe(false);
    await pass(0.6 * hour);
    await turn(-4 * 24 * hour);
    expect(await check()).toBe(true);
    expect(lines).toHaveLength(leap);
  }
  // What was reckoned by it is reckoned anew.
  expect(corrections).toBe(2);
});

it('a clock that is set back → reported, and times computed by it are corrected', async () => {
  const check = createClock();
  await check();
  await turn(-2 * hour);
  expect(await check()).toBe(true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the clock was set back');
  expect(corrections).toBe(1);
  const [row] = await setup.gateway.rows('webhook_clock');
  // The clock went back by two hours; the database's time is known to some milliseconds.
  expect(Number(row?.['expiries_told_until'])).toBeLessThan(Date.now() + 1000);
});

it('a clock that differs by less than an hour → trusted', async () => {
  const check = createClock();
  await check();
  for (const milliseconds of [0.9 * hour, -0.9 * hour]) {
    await turn(milliseconds);
    expect(await check()).toBe(true);
  }
  expect(lines).toEqual([]);
});
