import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersection, standsFor } from '../../../src/plans/permissions.ts';
import { boundsInWords } from '../../../web/console/keys/limits-in-words.ts';
import { includes, lostOf } from '../../../web/console/plan/grant.ts';

const permission = fc.oneof(
  fc.constantFrom('*', 'a', 'a.*', 'a.b', 'a.b.*', 'a.b.c', 'ab', 'ab.*', 'a*', 'b.a', '.*', 'a.'),
  fc.stringMatching(/^[ab.*]{1,6}$/),
);

describe('the permissions that a plan does not allow', () => {
  it('are found as the service finds them', () => {
    fc.assert(
      fc.property(permission, permission, (held, wanted) => {
        expect(includes(held, wanted)).toBe(standsFor(held, wanted));
      }),
      { numRuns: 5000 },
    );
    const list = fc.array(permission, { maxLength: 5 });
    fc.assert(
      fc.property(list, list, (permissions, ceiling) => {
        const lost = lostOf(permissions, ceiling);
        const kept = permissions.filter((each) => !lost.some((other) => other.permission === each));
        const left = [...kept, ...lost.flatMap((each) => each.left)];
        // What the page says is left allows what the service does.
        expect(intersection(left, ['*']).toSorted()).toEqual(intersection(permissions, ceiling).toSorted());
      }),
      { numRuns: 5000 },
    );
  });

  it('are none where there is no bound, and all where nothing is allowed', () => {
    expect(lostOf(['a', '*'], null)).toEqual([]);
    expect(lostOf(['a', '*'], [])).toEqual([
      { permission: 'a', left: [] },
      { permission: '*', left: [] },
    ]);
    expect(lostOf(['a', '*'], ['a.b', 'a'])).toEqual([{ permission: '*', left: ['a.b', 'a'] }]);
  });
});

describe('bounds in words', () => {
  const none = { permissions: null, metadata: null };

  it.each([
    [{ rateLimit: null, quota: null, maxActiveKeys: null, maxKeyDays: null }, []],
    [{ rateLimit: null, quota: null, maxActiveKeys: 0, maxKeyDays: 1 }, ['0 active keys', '1 day for a key']],
    [
      {
        rateLimit: { limit: 10, windowSeconds: 60 },
        quota: { limit: 1000, refill: 'MONTHLY' as const },
        maxActiveKeys: 1,
        maxKeyDays: 90,
      },
      ['10 requests a minute', '1,000 requests each month', '1 active key', '90 days for a key'],
    ],
  ])('says %j', (grant, words) => {
    expect(boundsInWords({ ...none, ...grant })).toEqual(words);
  });
});
