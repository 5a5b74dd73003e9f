import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nameQuery } from '../../../../src/database/named-query.ts';
import { Statements } from '../../../../src/database/postgresql/statements.ts';

const stale = Object.assign(new Error(), { code: '0A000', routine: 'RevalidateCachedQuery' });
const stray = ['26000', '42P05'].map((code) => Object.assign(new Error(), { code }));
const others = [
  Object.assign(new Error(), { code: '0A000', routine: 'exec_stmt_raise' }),
  Object.assign(new Error(), { code: '23505' }),
  new Error('Query read timeout'),
];

const query = nameQuery(CompiledQuery.raw('select 1'));
const isNamed = () => statements.nameOf(query) !== undefined;

const warn = vi.fn();
let statements: Statements;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  warn.mockReset();
  statements = new Statements('named', warn);
});
afterEach(() => {
  vi.useRealTimers();
});

it('a named query → a name that depends on its text alone; any other query → no name', () => {
  expect(statements.nameOf(query)).toMatch(/^[\w-]{16}$/);
  expect(nameQuery(CompiledQuery.raw('select 1', [1])).name).toBe(query.name);
  expect(nameQuery(CompiledQuery.raw('select 2')).name).not.toBe(query.name);
  expect(statements.nameOf(CompiledQuery.raw('select 1'))).toBeUndefined();
});

it('switched off → no names', () => {
  expect(new Statements('unnamed', warn).nameOf(query)).toBeUndefined();
});

it('other errors → ignored, and queries keep their names', () => {
  expect(others.map((error) => statements.mend(error))).toEqual([false, false, false]);
  expect(isNamed()).toBe(true);
});

it('a stale plan → earlier connections are given up, and queries have no names for a minute', () => {
  const [before, after] = [{}, {}];
  statements.admit(before);
  expect(statements.mend(stale)).toBe(true);
  statements.admit(after);
  expect([before, after].map((each) => statements.isCurrent(each))).toEqual([false, true]);
  vi.advanceTimersByTime(59_999);
  expect(isNamed()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isNamed()).toBe(true);
});

it('a pooler that loses statements → queries stay unnamed, with one warning', () => {
  expect(stray.map((error) => statements.mend(error))).toEqual([true, true]);
  expect(statements.mend(stale)).toBe(true);
  vi.advanceTimersByTime(10 * 60_000);
  expect(isNamed()).toBe(false);
  expect(warn).toHaveBeenCalledOnce();
});
