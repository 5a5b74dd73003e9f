import { describe, expect, it } from 'vitest';
import { intersection, standsFor } from '../../../src/plans/permissions.ts';
import { boundsInWords } from '../../../web/console/keys/limits-in-words.ts';
import { includes, lostOf } from '../../../web/console/plan/grant.ts';
import { english } from '../../support/languages.ts';

describe('the permissions that a plan does not allow', () => {
  it.each([
    ['*', 'a.*', true],
    ['a.*', 'a.*', true],
    ['a.*', 'a.b', true],
    ['a.*', 'a', false],
    ['a.*', 'a.', false],
    ['a.*', 'ab.c', false],
    ['a*', 'ab', false],
    ['a.b', 'a.*', false],
  ])('%s allowed, %s wanted → %s, as in the service', (held, wanted, does) => {
    expect(includes(held, wanted)).toBe(does);
    expect(standsFor(held, wanted)).toBe(does);
  });

  it.each([
    [['documents.*', 'a'], ['documents.read', 'b.*'], ['documents.read']],
    [['documents.read'], ['documents.*'], ['documents.read']],
    [['*'], ['a.*'], ['a.*']],
    [['a.b.*'], ['a.*', 'b'], ['a.b.*']],
    [['a', 'ab.*'], ['a.*'], []],
  ])('%j within %j → %j, as in the service', (permissions, ceiling, expected) => {
    const lost = lostOf(permissions, ceiling);
    const kept = permissions.filter((each) => !lost.some((other) => other.permission === each));
    expect([...kept, ...lost.flatMap((each) => each.left)]).toEqual(expected);
    expect(intersection(permissions, ceiling)).toEqual(expected);
  });

  it('no list → no permission is lost; an empty list → all are lost', () => {
    expect(lostOf(['a', '*'], null)).toEqual([]);
    expect(lostOf(['a', '*'], [])).toEqual([
      { permission: 'a', left: [] },
      { permission: '*', left: [] },
    ]);
    expect(lostOf(['a', '*'], ['a.b', 'a'])).toEqual([{ permission: '*', left: ['a.b', 'a'] }]);
  });
});

describe('the limits of a plan in words', () => {
  const none = { permissions: null, metadata: null };

  it.each([
    [{ rateLimit: null, quota: null, maxActiveKeys: null, maxKeyDays: null }, []],
    [{ rateLimit: null, quota: null, maxActiveKeys: 0, maxKeyDays: 1 }, ['0 active keys', '1 day per key']],
    [
      {
        rateLimit: { limit: 10, windowSeconds: 60 },
        quota: { limit: 1000, refill: 'MONTHLY' as const },
        maxActiveKeys: 1,
        maxKeyDays: 90,
      },
      ['10 requests per minute', '1,000 requests per month', '1 active key', '90 days per key'],
    ],
  ])('%j → %j', (grant, words) => {
    expect(boundsInWords(english, { ...none, ...grant })).toEqual(words);
  });
});
