import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasAll } from '../../../src/api-keys/verify/grants.ts';
import { Ceiling } from '../../../src/plans/ceiling.ts';
import { intersection, standsFor } from '../../../src/plans/permissions.ts';
import { includes, lostOf } from '../../../web/console/plan/grant.ts';

const part = fc.constantFrom('a', 'b', 'read', '*');
const name = fc.tuple(
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
  fc.constantFrom('', '', '', '', '.', '*', ':a'),
);
const permission = fc.oneof(
  name.map((texts) => texts.join('')),
  name.map(([text]) => `${text}.*`),
  fc.constant('*'),
);
const list = fc.uniqueArray(permission, { maxLength: 6 });

const isWildcard = (text: string) => text === '*' || text.endsWith('.*');

/**
 * The plain model: a list is a set of names, and whoever asks by a wildcard asks for a name that is written nowhere.
 */
const allows = (held: readonly string[], asked: string) => {
  const wanted = isWildcard(asked) ? `${asked.slice(0, -1)}written-nowhere` : asked;
  return held.some((each) => {
    const stem = each.slice(0, -1);
    return isWildcard(each) ? wanted.startsWith(stem) && wanted !== stem : wanted === each;
  });
};

it('any permissions within any ceiling → what both allow, in its shortest form', () => {
  const questions = fc.array(permission, { minLength: 20, maxLength: 20 });
  let both = 0;
  let one = 0;
  fc.assert(
    fc.property(list, list, questions, (key, permissions, asked) => {
      const ceiling = new Ceiling(permissions);
      const left = ceiling.within(JSON.stringify(key));
      for (const each of asked) {
        const isAllowed = allows(key, each) && allows(permissions, each);
        expect(hasAll(JSON.stringify(key), ceiling, [each])).toBe(isAllowed);
        expect(hasAll(JSON.stringify(left), null, [each])).toBe(isAllowed);
        expect(allows(left, each)).toBe(isAllowed);
        expect(ceiling.includes(each)).toBe(allows(permissions, each));
        both += Number(isAllowed);
        one += Number(!isAllowed && (allows(key, each) || allows(permissions, each)));
      }
      for (const each of left) {
        const others = left.filter((other) => other !== each);
        expect(allows(others, each)).toBe(false);
      }
    }),
    { numRuns: 1000 },
  );
  // The draws are worth something: many questions that both allow, and many that one of them does.
  expect(both).toBeGreaterThan(1000);
  expect(one).toBeGreaterThan(1000);
});

it('any permissions within any ceiling → the console shows as lost what the service leaves out', () => {
  const permission = fc.oneof(
    fc.constantFrom('*', 'a', 'a.*', 'a.b', 'a.b.*', 'a.b.c', 'ab', 'ab.*', 'a*', 'b.a', '.*', 'a.'),
    fc.stringMatching(/^[ab.*]{1,6}$/),
  );
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
