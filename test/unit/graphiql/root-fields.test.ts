import { describe, expect, it } from 'vitest';
import { rootFields } from '../../../web/graphiql/root-fields.ts';

describe('rootFields', () => {
  it.each([
    ['fields', '{ a b { c } }', ['a', 'b']],
    ['a mutation', 'mutation { a(id: 1) { b } }', ['a']],
    ['aliases', '{ a: b c: b }', ['b', 'b']],
    ['an inline fragment', '{ ... { a } ... on Query { b ... { c } } }', ['a', 'b', 'c']],
    ['a fragment', '{ ...F a } fragment F on Query { b c { d } }', ['b', 'c', 'a']],
    [
      'a fragment within a fragment',
      '{ ...F } fragment F on Query { a ...G } fragment G on Query { ... { b } }',
      ['a', 'b'],
    ],
    ['a fragment below a field', '{ a { ...F } } fragment F on A { b }', ['a']],
    ['a fragment twice', '{ ...F ...F } fragment F on Query { a }', ['a']],
    ['a fragment that names itself', '{ ...F } fragment F on Query { a ...F b }', ['a', 'b']],
    [
      'fragments that name each other',
      '{ ...F } fragment F on Query { ...G a } fragment G on Query { b ... { ...F } }',
      ['b', 'a'],
    ],
    ['a fragment that is missing', '{ ...F a }', ['a']],
    ['meta fields', '{ __typename __schema { types { name } } }', ['__typename', '__schema']],
  ])('finds the root fields of %s', (_what, query, names) => {
    expect(rootFields(query, undefined)).toEqual(names);
  });

  describe('several operations', () => {
    const query = 'query A { a ...F } mutation B { b } query C { ...F } fragment F on Query { c }';

    it.each([
      ['A', ['a', 'c']],
      ['B', ['b']],
      ['C', ['c']],
      ['D', []],
    ])('the one with the name %s → its fields alone', (name, names) => {
      expect(rootFields(query, name)).toEqual(names);
    });

    it.each([undefined, null, ''])('the name %j → the fields of all', (name) => {
      expect(rootFields(query, name)).toEqual(['a', 'c', 'b', 'c']);
    });
  });

  it.each(['', ' # nothing', '{', '{ a', 'query A { } ', 'apiKeys', 'fragment F on Query { a }'])(
    'a document that cannot be parsed or run, %j → no fields',
    (query) => {
      expect(rootFields(query, undefined)).toEqual([]);
    },
  );
});
