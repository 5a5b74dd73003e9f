import {
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  getIntrospectionQuery,
  getOperationAST,
  graphqlSync,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/gateway/schema.ts';
import { countIntrospection, lengthOfIntrospection } from '../../../src/graphql/introspection-cost.ts';

const count = (query: string, most = Number.POSITIVE_INFINITY): number => {
  const { definitions } = parse(query);
  const operation = definitions.find(
    ({ kind }) => kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
  const fragments = definitions.filter(
    (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  const find = (name: string) => fragments.find((fragment) => fragment.name.value === name);
  return countIntrospection(schema, operation.selectionSet.selections[0] as FieldNode, find, most);
};

/** The members of all objects of an answer. */
const members = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + members(inner), 0);
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + members(inner), 0);
};

describe('the count of introspection', () => {
  it.each([
    '{ __schema { description types { name fields { name args { name type { name ofType { name } } } } } } }',
    '{ __schema { directives { name locations args { name } } mutationType { fields(includeDeprecated: true) { name } } } }',
    '{ __type(name: "ApiKey") { name fields { type { ofType { ofType { name } } } } } }',
    '{ __type(name: "Nothing") { name } }',
    '{ __schema { types { ...A ...A } } } fragment A on __Type { name ... { kind } ...B } fragment B on __Type { description }',
  ])('equals the number of members in the answer: %s', (query) => {
    const { data, errors } = graphqlSync({ schema, source: query }) as ExecutionResult;
    expect(errors).toBeUndefined();
    expect(count(query)).toBe(members(data));
  });

  it('the same field twice, or a type by a variable → not lower', () => {
    expect(count('{ __schema { queryType { name name } } }')).toBe(4);
    const variable = count('query ($n: String!) { __type(name: $n) { fields { name } } }');
    expect(variable).toBeGreaterThan(count('{ __type(name: "ApiKey") { fields { name } } }'));
  });

  it('stops soon after the given maximum', () => {
    const nested = `{ __schema { types ${'{ fields { type '.repeat(20)} { name } ${'} }'.repeat(20)} } }`;
    expect(count(nested, 1000)).toBeLessThan(1100);
  });

  it('ends even if fragments form a cycle', () => {
    expect(count('{ __schema { types { ...A } } } fragment A on __Type { name ...A }')).toBeGreaterThan(1);
    const growing = '{ __schema { types { ...A } } } fragment A on __Type { fields { type { ...A } } }';
    expect(count(growing, 1000)).toBeLessThan(1100);
  });

  it.each([
    'fragment A on __Type { fields { type { ...A } } ofType { ...A } }',
    'fragment A on __Type { ...B ofType { ...A } } fragment B on __Type { fields { type { ...A } } }',
  ])('fragments deeper than a document may be → above the maximum: %s', (fragments) => {
    const query = `{ __type(name: "__Type") { ...A } } ${fragments}`;
    expect(count(query, 10_000_000)).toBe(10_000_001);
  });
});

const lengthOf = (
  query: string,
  variables: Record<string, unknown> = {},
  most = Number.POSITIVE_INFINITY,
) => {
  const document = parse(query);
  return lengthOfIntrospection(
    schema,
    getOperationAST(document) as OperationDefinitionNode,
    document,
    variables,
    most,
  );
};

describe('the length of introspection', () => {
  it.each<[string, Record<string, unknown>?]>([
    [getIntrospectionQuery().replaceAll(/\s+/g, ' ')],
    [getIntrospectionQuery({ descriptions: false }).replaceAll(/\s+/g, ' ')],
    ['{ __typename __schema { queryType { name } } }'],
    [
      '{ __schema { description types { name fields { name args { name type { name ofType { name } } } } } } }',
    ],
    [
      '{ __schema { types { aVeryLongAliasOfAName: name kind isOneOf } } a: __type(name: "ApiKey") { description } }',
    ],
    ['query ($n: String!) { __type(name: $n) { fields { name description } } }', { n: 'ApiKey' }],
  ])('is nearly that of the answer, and never more: %s', (query, variables = {}) => {
    const answer = graphqlSync({ schema, source: query, variableValues: variables });
    expect(answer.errors).toBeUndefined();
    const actual = Buffer.byteLength(JSON.stringify(answer));
    const found = lengthOf(query, variables);
    expect(found).toBeLessThanOrEqual(actual);
    expect(found).toBeGreaterThan(actual / 2);
  });

  it('stops soon after the given maximum', () => {
    expect(lengthOf(getIntrospectionQuery(), {}, 1000)).toBeLessThan(3000);
    const many = `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: __schema { types { name } }`).join(' ')} }`;
    expect(lengthOf(many, {}, 1000)).toBeLessThan(3000);
  });

  it.each<Record<string, unknown>>([{}, { n: 5 }, { toString: 'ApiKey' }])(
    'without the name, counts all types: %j',
    (variables: Record<string, unknown>) => {
      const query = 'query ($n: String!, $toString: String) { __type(name: $n) { name } }';
      expect(lengthOf(query, variables)).toBeGreaterThan(500);
    },
  );
});
