import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../src/operations/changes.ts';
import { mergeMessages } from '../../../src/webhooks/merge.ts';

const messageOf = (changes: object[], data: object = {}) =>
  JSON.stringify({ type: 'api_key.updated', timestamp: 'T', data: { by: 'owner', ...data, changes } });

const changesOfMerged = (...all: object[][]): unknown => {
  const merged = all.map((changes) => messageOf(changes)).reduce((a, b) => mergeMessages(a, b) ?? 'none');
  return JSON.parse(merged).data.changes;
};

describe('two updates as one', () => {
  it('are from what was before the first to what is after the last', () => {
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

  it('leave out what is as it was', () => {
    const there = [{ field: 'name', from: 'a', to: 'b' }];
    const back = [{ field: 'name', from: 'b', to: 'a' }];
    expect(changesOfMerged(there, back)).toEqual([]);
    expect(changesOfMerged(there, back, there)).toEqual(there);
  });

  it('have the later one’s other members', () => {
    const earlier = messageOf([], { name: 'a', key_id: 1 });
    const later = JSON.stringify({ ...JSON.parse(messageOf([], { name: 'b', key_id: 1 })), timestamp: 'U' });
    expect(JSON.parse(mergeMessages(earlier, later) ?? '')).toEqual(JSON.parse(later));
  });

  it('are of lists what one update would have been, whatever the lists are', () => {
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

  it('stay two where they are not by the same, or where a digest stands for a value', () => {
    const change = [{ field: 'name', from: 'a', to: 'b' }];
    const digest = { sha256: '0'.repeat(64), bytes: 1000 };
    expect(mergeMessages(messageOf(change), messageOf(change, { by: 'operator' }))).toBeUndefined();
    for (const each of [
      { field: 'metadata', from: digest, to: null },
      { field: 'metadata', from: null, to: digest },
    ]) {
      expect(mergeMessages(messageOf(change), messageOf([each]))).toBeUndefined();
      expect(mergeMessages(messageOf([each]), messageOf(change))).toBeUndefined();
    }
  });
});
