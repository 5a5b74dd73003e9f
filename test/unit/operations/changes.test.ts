import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changesOf, detailsOf, longestKept } from '../../../src/operations/changes.ts';

describe('changesOf', () => {
  it('lists the members that differ', () => {
    expect(changesOf({ name: 'a', rate: { limit: 1 } }, { name: 'b', rate: { limit: 1 } })).toEqual([
      { field: 'name', from: 'a', to: 'b' },
    ]);
  });

  it.each([
    [['a', 'b'], ['b', 'c'], ['a'], ['c']],
    [[], ['a'], [], ['a']],
    [['a', 'b'], [], ['a', 'b'], []],
    [['a', 'b'], ['b', 'a'], [], []],
    [null, ['a'], null, ['a']],
  ])('of a list from %j to %j says what went and what came', (from, to, went, came) => {
    expect(changesOf({ list: from }, { list: to })).toEqual([{ field: 'list', from: went, to: came }]);
  });
});

describe('detailsOf', () => {
  const changeTo = (to: unknown) => JSON.parse(detailsOf([{ field: 'some', from: null, to }]) ?? '')[0].to;

  it('is null where nothing is to be told', () => {
    expect(detailsOf([])).toBeNull();
  });

  it.each([
    ['plain', 'x'.repeat(longestKept - 2), 'x'.repeat(longestKept - 1)],
    ['of several bytes', 'ü'.repeat(longestKept / 2 - 1), 'ü'.repeat(longestKept / 2)],
  ])('keeps a value up to the bound, and of a longer one its digest: %s', (_kind, longest, longer) => {
    expect(changeTo(longest)).toBe(longest);
    const json = JSON.stringify(longer);
    const sha256 = createHash('sha256').update(json).digest('hex');
    expect(changeTo(longer)).toEqual({ sha256, bytes: Buffer.byteLength(json) });
  });

  it('keeps each name that a key may have', () => {
    const longest = '\u{1}'.repeat(100);
    expect(changeTo(longest)).toBe(longest);
  });
});
