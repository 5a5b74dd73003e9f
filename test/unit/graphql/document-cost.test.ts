import {
  type DocumentNode,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  ValidationContext,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/gateway/schema.ts';
import { costOf } from '../../../src/graphql/document-cost.ts';

const isOperation = (
  definition: DocumentNode['definitions'][number],
): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION;

const cost = (query: string): number => {
  const document = parse(query);
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  return costOf(
    document.definitions.find(isOperation) as OperationDefinitionNode,
    context,
    Number.POSITIVE_INFINITY,
  );
};

const everything = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
};

const edges = 'edges { cursor node { id name } }';

describe('the cost of a document', () => {
  it.each<[number, string]>([
    [1, '{ __typename }'],
    [3, '{ privateKeyStatus { hasKey createdAt } }'],
    [6, '{ a: privateKeyStatus { hasKey createdAt } b: privateKeyStatus { hasKey createdAt } }'],
    // The list, its edges, and four values for each.
    [2 + 4 * 100, `{ apiKeys { ${edges} } }`],
    [2 + 4 * 7, `{ apiKeys(first: 7) { ${edges} } }`],
    [2 + 4 * 7, `{ apiKeys(isActive: true, last: 7) { ${edges} } }`],
    [2 + 4 * 100, `query ($n: Int = 1) { apiKeys(first: $n) { ${edges} } }`],
    [2 + 4 * 100, `{ apiKeys(first: null) { ${edges} } }`],
    // What will be refused when it is run is no way to pay less.
    [2, `{ apiKeys(first: 0) { ${edges} } }`],
    [2, `{ apiKeys(first: -9) { ${edges} } }`],
    [2 + 4 * 100, `{ apiKeys(first: 1000000) { ${edges} } }`],
    [2 + 4 * 9, `{ apiKeys(first: 1, last: 9) { ${edges} } }`],
    // Not in the list, and so once.
    [3, '{ apiKeys(first: 7) { pageInfo { hasNextPage } } }'],
    [2 + 4 * 7, `{ apiKeys(first: 7) { ...F } } fragment F on ApiKeyConnection { ${edges} }`],
    [2 + 4 * 7, `{ apiKeys(first: 7) { ... on ApiKeyConnection { ${edges} } } }`],
    [2 + 4 * 7, `{ ... { apiKeys(first: 7) { ... @include(if: true) { ${edges} } } } }`],
    [
      2 * 2 + 4 * 12,
      `{ a: apiKeys(first: 7) { ...F } b: apiKeys(first: 5) { ...F } } fragment F on ApiKeyConnection { ${edges} }`,
    ],
    [2, '{ nothing { nothing } }'],
    [1, '{ ...Nowhere __typename }'],
    [1, '{ ...A } fragment A on Query { ...A __typename }'],
  ])('is %i: %s', (expected, query) => {
    expect(cost(query)).toBe(expected);
  });

  // It counts beside what tools ask for, which is 2000, and at least 1: exactly how much goes with the schema's size.
  it.each<[number, number, string]>([
    [2, 5, '{ __typename __schema { queryType { name } } }'],
    [1998, 2002, getIntrospectionQuery({ ...everything, oneOf: true })],
    [3, 7, '{ a: __type(name: "Nothing") { name } b: __type(name: "PrivateKeyStatus") { fields { name } } }'],
  ])('is %i to %i for introspection: %s', (least, most, query) => {
    expect(cost(query)).toBeGreaterThanOrEqual(least);
    expect(cost(query)).toBeLessThanOrEqual(most);
  });

  it('fragments that double at each step → counted quickly', () => {
    const steps = Array.from(
      { length: 50 },
      (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
    );
    expect(cost(`{ ...F0 } ${steps.join(' ')} fragment F50 on Query { __typename }`)).toBe(2 ** 50);
  });
});
