import { getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { isIntrospection, rootFieldNames } from '../../../src/auth/root-fields.ts';

const namesIn = (source: string, operationName?: string) => {
  const document = parse(source);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error('no such operation');
  return rootFieldNames(document, operation);
};

describe('rootFieldNames', () => {
  it.each([
    ['fields', '{ a b { c } }', ['a', 'b']],
    ['an alias', '{ a: b }', ['b']],
    ['an inline fragment', '{ ... { a ... on Query { b } } }', ['a', 'b']],
    ['a fragment', '{ ...F a } fragment F on Query { b c { d } }', ['b', 'c', 'a']],
    [
      'a fragment within a fragment',
      '{ ...F } fragment F on Query { ...G } fragment G on Query { a }',
      ['a'],
    ],
    ['a fragment twice', '{ ...F ...F } fragment F on Query { a }', ['a']],
    ['a fragment of no type of ours', '{ ...F } fragment F on Nothing { a }', ['a']],
    ['what is skipped', '{ a @skip(if: true) ... @include(if: false) { b } }', ['a', 'b']],
    ['a fragment that is not there', '{ a ...F }', ['a']],
    ['a fragment of itself', '{ ...F } fragment F on Query { a ...F }', ['a']],
    ['a cycle', '{ ...F } fragment F on Query { ...G a } fragment G on Query { b ... { ...F } }', ['b', 'a']],
    ['meta fields', '{ __typename a }', ['__typename', 'a']],
  ])('finds the root fields in %s', (_what, source, names) => {
    expect(namesIn(source)).toEqual(names);
  });

  it('finds only those of the operation that is run', () => {
    expect(namesIn('query A { a } mutation B { b }', 'B')).toEqual(['b']);
  });

  it('follows 50 fragments with 2,000 spreads each, each fragment once', () => {
    const all = Array.from({ length: 2000 }, (_, i) => `F${i}`);
    const spreads = all.map((name) => `...${name}`).join(' ');
    const source = `{ ...F0 } ${all
      .slice(0, 50)
      .map((name) => `fragment ${name} on Query { ${spreads} a }`)
      .join(' ')}`;
    expect(namesIn(source)).toHaveLength(50);
  });
});

describe('isIntrospection', () => {
  it.each([
    '{ __typename }',
    '{ __schema { types { name } } }',
    'query A { __type(name: "ApiKey") { name } } query B { __typename }',
    '{ __schema { ...F } } fragment F on __Schema { types { ...G } } fragment G on __Type { name }',
    'mutation { __typename }',
  ])('%s → true', (source) => {
    expect(isIntrospection(parse(source))).toBe(true);
  });

  it.each([
    '{ a }',
    '{ __typename a }',
    '{ __typename: a }',
    '{ __schema: a }',
    'query A { __typename } query B { a }',
    '{ ... { __typename } }',
    '{ ...F } fragment F on Query { __typename }',
    '{ __typename } fragment F on ApiKey { id }',
    '{ __schema { ...F } } fragment F on __Schema { types { name } } fragment G on Query { a }',
    '{ __typename } type Query { a: Int }',
  ])('%s → false', (source) => {
    expect(isIntrospection(parse(source))).toBe(false);
  });
});
