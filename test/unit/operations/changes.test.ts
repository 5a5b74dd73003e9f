import { describe, expect, it } from 'vitest';
import { changesOf, detailsOf, longestKept, mostDetails } from '../../../src/operations/changes.ts';

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
  ])('a list from %j to %j → what was removed and what was added', (from, to, went, came) => {
    expect(changesOf({ list: from }, { list: to })).toEqual([{ field: 'list', from: went, to: came }]);
  });
});

describe('detailsOf', () => {
  const changeTo = (to: unknown) => JSON.parse(detailsOf([{ field: 'some', from: null, to }]) ?? '')[0].to;

  it('no change → null', () => {
    expect(detailsOf([])).toBeNull();
  });

  it.each([
    ['plain', 'x'.repeat(longestKept - 2), 'x'.repeat(longestKept - 1)],
    ['of several bytes', 'ü'.repeat(longestKept / 2 - 1), 'ü'.repeat(longestKept / 2)],
  ])('keeps a value up to the limit, and the beginning of a longer one: %s', (_kind, longest, longer) => {
    expect(changeTo(longest)).toBe(longest);
    const json = JSON.stringify(longer);
    expect(changeTo(longer)).toEqual({ starts: json.slice(0, 160), bytes: Buffer.byteLength(json) });
  });

  it('cuts no character in two', () => {
    const { starts } = changeTo('😀'.repeat(400));
    expect([starts.isWellFormed(), starts.startsWith('"😀😀')]).toEqual([true, true]);
  });

  it('an event that would be too long → its values are shortened', () => {
    const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const details = `${detailsOf(fields.map((field) => ({ field, from: null, to: 'x'.repeat(600) })))}`;
    expect(details.length).toBeLessThanOrEqual(mostDetails);
    expect(JSON.parse(details)[7]).toMatchObject({ field: 'h', to: { bytes: 602 } });
  });

  it('keeps the longest name that a key may have', () => {
    const longest = '\u{1}'.repeat(100);
    expect(changeTo(longest)).toBe(longest);
  });
});
