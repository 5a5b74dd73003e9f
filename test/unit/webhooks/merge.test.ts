import { describe, expect, it } from 'vitest';
import { changesOf, detailsOf } from '../../../src/operations/changes.ts';
import { mergeMessages } from '../../../src/webhooks/sending/merge.ts';

const messageOf = (changes: object[], data: object = {}) =>
  JSON.stringify({ type: 'api_key.updated', timestamp: 'T', data: { by: 'owner', ...data, changes } });

const changesOfMerged = (...all: object[][]): unknown => {
  const merged = all.map((changes) => messageOf(changes)).reduce((a, b) => mergeMessages(a, b) ?? 'none');
  return JSON.parse(merged).data.changes;
};

describe('two updates merged into one', () => {
  it('have the values before the first and after the last', () => {
    const first = [
      { field: 'name', from: 'a', to: 'b' },
      { field: 'quota', from: null, to: { limit: 1, refill: 'never' } },
    ];
    const second = [
      { field: 'name', from: 'b', to: 'c' },
      { field: 'expires_at', from: null, to: '2027-01-01T00:00:00.000Z' },
    ];
    expect(changesOfMerged(first, second)).toEqual([
      { field: 'quota', from: null, to: { limit: 1, refill: 'never' } },
      { field: 'name', from: 'a', to: 'c' },
      { field: 'expires_at', from: null, to: '2027-01-01T00:00:00.000Z' },
    ]);
  });

  it('leave out members that did not change in the end', () => {
    const there = [{ field: 'name', from: 'a', to: 'b' }];
    const back = [{ field: 'name', from: 'b', to: 'a' }];
    expect(changesOfMerged(there, back)).toEqual([]);
    expect(changesOfMerged(there, back, there)).toEqual(there);
  });

  it('keep the other members of the later one', () => {
    const earlier = messageOf([], { name: 'a', key_id: 1 });
    const later = JSON.stringify({ ...JSON.parse(messageOf([], { name: 'b', key_id: 1 })), timestamp: 'U' });
    expect(JSON.parse(mergeMessages(earlier, later) ?? '')).toEqual(JSON.parse(later));
  });

  it('changes of lists → the same as one update', () => {
    const items = ['a', 'b', 'c', 'd'];
    const lists = Array.from({ length: 16 }, (_, bits) =>
      items.filter((_item, index) => bits & (1 << index)),
    );
    const sorted = ({ field, from, to }: { field: string; from: unknown; to: unknown }) => ({
      field,
      from: (from as string[]).toSorted(),
      to: (to as string[]).toSorted(),
    });
    let compared = 0;
    for (const one of lists)
      for (const two of lists)
        for (const three of lists) {
          const [first, second] = [changesOf({ l: one }, { l: two }), changesOf({ l: two }, { l: three })];
          const merged = changesOfMerged(first, second) as Parameters<typeof sorted>[0][];
          expect(merged.map(sorted)).toEqual(changesOf({ l: one }, { l: three }).map(sorted));
          compared += 1;
        }
    expect(compared).toBe(16 ** 3);
  });

  it('are not merged if one is by the owner and one by an operator', () => {
    const change = [{ field: 'name', from: 'a', to: 'b' }];
    expect(mergeMessages(messageOf(change), messageOf(change, { by: 'operator' }))).toBeUndefined();
    const byMember = (id: number) => messageOf(change, { by: 'member', member_id: id });
    expect(mergeMessages(byMember(1), byMember(2))).toBeUndefined();
    expect(mergeMessages(byMember(1), byMember(1))).toBeDefined();
  });

  describe('of a value too long to be kept in full', () => {
    /** The changes as the audit trail keeps them. */
    const kept = (from: object, to: object): object[] =>
      JSON.parse(detailsOf(changesOf(from, to) as never) ?? '');
    const long = (end: string) => `${'x'.repeat(700)}${end}`;
    const many = Array.from({ length: 50 }, (_, index) => `a.very.long.permission.${index}`);

    it.each([
      ['changed twice', { m: long('a') }, { m: long('b') }, { m: long('a') }],
      ['changed, then cleared', { m: 'short' }, { m: long('b') }, { m: null }],
      ['set, then changed', { m: null }, { m: 'short' }, { m: long('a') }],
      ['a list that grew, then grew by one', { m: [] }, { m: many }, { m: [...many, 'x'] }],
    ])('are not merged: %s', (_what, one, two, three) => {
      expect(mergeMessages(messageOf(kept(one, two)), messageOf(kept(two, three)))).toBeUndefined();
    });

    it('are merged if they change different fields', () => {
      const first = kept({ m: long('a') }, { m: long('b') });
      const second = kept({ name: 'a' }, { name: 'b' });
      expect(changesOfMerged(first, second)).toEqual([...first, ...second]);
      expect(changesOfMerged(second, first)).toEqual([...second, ...first]);
    });
  });
});
