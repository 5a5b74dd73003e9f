import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/database/tables.ts';
import { Line } from '../../../src/webhooks/sending/line.ts';

const [alice, bob] = [1 as AccountId, 2 as AccountId];

const createLine = () => {
  const clock = { now: 1_000_000_000_000 };
  const line = new Line(() => new Date(clock.now));
  return {
    clock,
    line,
    place: (account: AccountId, urgent = false) => line.place(account, urgent).getTime(),
  };
};

it('an account with few events goes before an earlier burst', () => {
  const { clock, place } = createLine();
  const burst = Array.from({ length: 100 }, () => place(alice));
  clock.now += 1000;
  const late = place(bob);
  expect(late).toBe(clock.now);
  expect(burst.filter((each) => each < late)).toHaveLength(10);
  expect(burst).toEqual(burst.toSorted((a, b) => a - b));
  expect(new Set(burst).size).toBe(100);
});

it('two accounts with a burst each → their events alternate', () => {
  const { place } = createLine();
  const all = [
    ...Array.from({ length: 50 }, () => ({ of: alice, at: place(alice) })),
    ...Array.from({ length: 50 }, () => ({ of: bob, at: place(bob) })),
  ].toSorted((a, b) => a.at - b.at);
  for (let index = 0; index < 100; index += 2)
    expect(new Set(all.slice(index, index + 2).map(({ of }) => of)).size).toBe(2);
});

it('an account that was quiet → its event is due at once', () => {
  const { clock, place } = createLine();
  for (let index = 0; index < 10; index += 1) place(alice);
  clock.now += 10_000;
  expect(place(alice)).toBe(clock.now);
});

it('urgent events go first, accounts in turn', () => {
  const { place } = createLine();
  const first = place(bob);
  for (let index = 0; index < 1000; index += 1) place(alice);
  const [one, two] = [place(alice, true), place(alice, true)];
  expect(one).toBeLessThan(first);
  expect(two).toBeGreaterThan(one);
  expect(place(bob, true)).toBeLessThan(one);
});

it('reset after the clock was set back → the next event is due at once', () => {
  const { clock, line, place } = createLine();
  place(alice);
  clock.now -= 1_000_000;
  expect(place(alice)).toBeGreaterThan(clock.now);
  line.reset();
  expect(place(alice)).toBe(clock.now);
});

it('remembers at most 1,000 accounts without waiting events, and all accounts with some', () => {
  const { clock, line, place } = createLine();
  for (let id = 1; id <= 50_000; id += 1) {
    place(id as AccountId);
    clock.now += 1;
  }
  expect(line.remembered).toBeLessThanOrEqual(1000);
  for (let id = 1; id <= 5000; id += 1) place(id as AccountId);
  const [last] = [place(4999 as AccountId)];
  // Those that lie ahead are kept, however many they are.
  expect(last).toBe(clock.now + 100);
});
