import { getIntrospectionQuery } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { mostOfDocument, processorTime } from '../support/processor-time.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const times = (count: number, write: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => write(index)).join(between);

/** Fragments that each spread the next twice, each time below a field. */
const doubling = (count: number, type: string, field: string, last: string) =>
  times(count, (i) =>
    i === count - 1
      ? `fragment F${i} on ${type} { ${last} }`
      : `fragment F${i} on ${type} { ${field} { ...F${i + 1} } ${field} { ...F${i + 1} } }`,
  );

const long = (length: number) => 'x'.repeat(length);

interface Shape {
  readonly query: string;
  /** As JSON, where they are not to be written by JavaScript. */
  readonly variables?: unknown;
}

/** Documents within the limits, or a little beyond, that cost as much as they can. */
const shapes: Record<string, Shape> = {
  'fragments that double, on a type of introspection': {
    query: `{ __schema { types { ...F0 } } } ${doubling(40, '__Type', 'ofType', 'name')}`,
  },
  'fragments that double and fan out, on introspection': {
    query: `{ __schema { types { ...F0 } } } ${doubling(40, '__Type', 'fields { type', 'name').replaceAll(/\.\.\.F(\d+) \}/g, '...F$1 } }')}`,
  },
  'fragments that double, on a type of ours': {
    query: `{ apiKeys { edges { node { ...F0 } } } } ${times(
      60,
      (i) => `fragment F${i} on ApiKey { ...F${i + 1} ...F${i + 1} id }`,
    )} fragment F60 on ApiKey { name }`,
  },
  'spreads of all fragments in all fragments': {
    query: `{ apiKeys { edges { node { ...F0 } } } } ${times(
      14,
      (i) => `fragment F${i} on ApiKey { ${times(14 - i, (j) => `...F${i + j + 1}`)} id }`,
    )} fragment F14 on ApiKey { name }`,
  },
  'many fields of one name': { query: `{ ${times(990, () => '__typename')} }` },
  'many fields of one name with the same selection': {
    query: `{ ${times(180, () => 'privateKeyStatus { hasKey }')} }`,
  },
  'fields of one name, nested, with the same selection': {
    query: `{ ${times(33, () => `apiKeys { edges { node { ${times(10, () => 'id')} } } pageInfo { hasNextPage } }`)} }`,
  },
  'fields of one name in fragments': {
    query: `{ ${times(70, (i) => `...F${i}`)} } ${times(70, (i) => `fragment F${i} on Query { __typename }`)}`,
  },
  'fields of one name in many fragments': {
    query: `{ ${times(45, (i) => `...F${i}`)} } ${times(45, (i) => `fragment F${i} on Query { apiKeys { edges { node { id } } } }`)}`,
  },
  'fragments that hold fields of one name and spread each other': {
    query: `{ ...F0 } ${times(60, (i) => `fragment F${i} on Query { a: __typename ...F${i + 1} ...F${(i * 7) % 60} }`)} fragment F60 on Query { __typename }`,
  },
  'inline fragments, deep': { query: `{ ${'... { '.repeat(300)} __typename ${'} '.repeat(300)} }` },
  'inline fragments, each with one field of the same name': {
    query: `{ ${times(160, () => '... { __typename }')} }`,
  },
  'introspection, as wide as it may be': {
    query:
      '{ __schema { types { name fields { name args { name type { name ofType { name } } } type { name ofType { name fields { name type { name } } } } } } } }',
  },
  'introspection, as deep as it may be': {
    query: '{ __schema { types { fields { type { fields { type { name } } } } } } }',
  },
  'introspection, of types through all that they have': {
    query:
      '{ __schema { types { fields { args { type { inputFields { name } ofType { name } } } type { ofType { ofType { ofType { name fields { name } } } } } } } } }',
  },
  'introspection, again and again': {
    query: `{ ${times(10, (i) => `a${i}: __schema { types { name kind description } }`)} }`,
  },
  'introspection, padded, through fragments that multiply aliases': {
    query: `{ __schema { types { ...F0 } } } ${times(
      5,
      (i) => `fragment F${i} on __Type { ${times(8, (j) => `a${j}: ofType { ...F${i + 1} }`)} }`,
    )} fragment F5 on __Type { name description } #${long(50_000)}`,
  },
  'introspection, padded, of fields with many aliases': {
    query: `{ ${times(12, (i) => `a${i}: __schema { types { ...F } }`)} } fragment F on __Type { fields { ${times(
      40,
      (i) => `a${i}: name`,
    )} type { ${times(40, (i) => `a${i}: name`)} } } } #${long(50_000)}`,
  },
  'introspection of a type by a variable': {
    query: `query ($n: String!) { ${times(10, (i) => `a${i}: __type(name: $n) { fields { name type { fields { name } } } }`)} }`,
    variables: { n: 'ApiKey' },
  },
  'the usual introspection': { query: getIntrospectionQuery() },
  'a long alias in a long list': {
    query: `{ __schema { types { fields { ${long(50_000)}: name } } } }`,
  },
  'a long name that is no field': { query: `{ ${long(60_000)} }` },
  'long names that are no fields': { query: `{ ${times(60, (i) => `${long(900)}${i}`)} }` },
  'names that are nearly fields': { query: `{ ${times(300, (i) => `privateKeyStatu${i}`)} }` },
  'names that are nearly arguments': {
    query: `{ apiKeys(${times(300, (i) => `firs${i}: 1`)}) { edges { cursor } } }`,
  },
  'names that are nearly types': {
    query: `{ ${times(200, (i) => `... on ApiKeyConnectio${i} { id }`)} }`,
  },
  'a long name of an operation, and many unknown variables': {
    query: `query ${long(40_000)} { ${times(100, (i) => `... @include(if: $v${i}) { __typename }`)} }`,
  },
  'variables that nobody uses': { query: `query (${times(240, (i) => `$v${i}: Int`)}) { __typename }` },
  'variables, each used in many fragments': {
    query: `query (${times(60, (i) => `$v${i}: Int`)}) { ${times(60, (i) => `...F${i}`)} } ${times(60, (i) => `fragment F${i} on Query { a: apiKeys(first: $v${i}) { edges { cursor } } }`)}`,
  },
  'many operations that spread the same fragments': {
    query: `${times(60, (i) => `query Q${i} { ...F0 }`)} ${times(60, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F60 on Query { __typename }`,
  },
  'a flood of directives': { query: `{ __typename ${times(450, () => '@a')} }` },
  'a flood of directives in fragments': {
    query: `{ ${times(100, (i) => `...F${i} @include(if: true)`)} } ${times(60, (i) => `fragment F${i} on Query @x { __typename @skip(if: false) }`)}`,
  },
  'a flood of arguments': { query: `{ __typename(${times(320, () => 'a: 1')}) }` },
  'a literal, wide': { query: `{ apiKeys(first: [${times(950, () => '1')}]) { edges { cursor } } }` },
  'a literal, deep': {
    query: `{ apiKeys(first: ${'['.repeat(480)}${']'.repeat(480)}) { edges { cursor } } }`,
  },
  'a literal object, deep': {
    query: `{ apiKeys(first: ${'{a:'.repeat(240)}1${'}'.repeat(240)}) { edges { cursor } } }`,
  },
  'a long text': { query: `mutation { verifyApiKey(key: "${long(60_000)}") { valid } }` },
  'a long text in blocks': {
    query: `mutation { verifyApiKey(key: """${' \n'.repeat(30_000)}""") { valid } }`,
  },
  escapes: { query: `mutation { verifyApiKey(key: "${'\\u{41}'.repeat(10_000)}") { valid } }` },
  comments: { query: `{ __typename }${'#\n'.repeat(30_000)}` },
  'white space': { query: `{${' ,\n'.repeat(20_000)} __typename }` },
  'an open text': { query: `{ a(b: "${long(60_000)}` },
  'a variable, deep': {
    query: 'query ($first: Int) { apiKeys(first: $first) { edges { cursor } } }',
    variables: `{"first":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  },
  'a variable, wide': {
    query: 'query ($first: Int) { apiKeys(first: $first) { edges { cursor } } }',
    variables: { first: Array(30_000).fill(0) },
  },
  'a variable of many members': {
    query: 'mutation ($key: String!) { verifyApiKey(key: $key) { valid } }',
    variables: { key: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])) },
  },
  'many variables': {
    query: `query (${times(190, (i) => `$v${i}: Int!`)}) { ${times(1, () => 'apiKeys { edges { cursor } }')} }`,
    variables: Object.fromEntries(Array.from({ length: 190 }, (_, i) => [`v${i}`, 'x'])),
  },
  'as many values as an answer may hold': {
    query: `{ ${times(8, (i) => `a${i}: apiKeys { edges { cursor node { id name keyPrefix createdAt } } }`)} }`,
  },
  'a fragment cycle of many': {
    query: `{ ...F0 } ${times(120, (i) => `fragment F${i} on Query { ...F${(i + 1) % 120} ...F${(i * 11) % 120} }`)}`,
  },
};

const bodyOf = ({ query, variables }: Shape): string => {
  const json = typeof variables === 'string' ? variables : JSON.stringify(variables ?? null);
  return `{"query":${JSON.stringify(query)},"variables":${json}}`;
};

/** What a request takes, of three texts that are new; or of one that is known by the end, if the service keeps it. */
const work = ({ query, variables }: Shape, token: string | undefined, isKnown = false): Promise<number> =>
  processorTime(async (round) => {
    const { status } = await setup.gateway.fetch('POST', '/graphql', {
      headers: { 'content-type': 'application/json' },
      body: bodyOf({ query: isKnown ? query : `${query}${'\n'.repeat(round)}`, variables }),
      ...(token !== undefined && { token }),
    });
    expect(status).toBeLessThan(500);
  });

describe('the work that a document can cause is bounded', () => {
  beforeEach(async () => {
    const account = await setup.gateway.createAccount('alice');
    for (let index = 0; index < 100; index += 1) await setup.gateway.createApiKey(account);
  });

  it.each(Object.entries(shapes))('%s', async (_name, shape) => {
    const most = await mostOfDocument();
    const token = await setup.sign();
    for (const isKnown of [false, true]) {
      expect(await work(shape, token, isKnown)).toBeLessThan(most);
      expect(await work(shape, undefined, isKnown)).toBeLessThan(most);
    }
  });
});
