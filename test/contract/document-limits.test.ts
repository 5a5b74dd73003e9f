import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { mostOfDocument, processorTime } from '../support/processor-time.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** A document of so many tokens: not of so many fields, which to compare would take too long for graphql-js. */
const ofTokens = (count: number) => {
  const fragments = Math.floor((count - 2) / 9);
  const fields = times(count - 2 - 9 * fragments, () => '__typename');
  const spreads = times(fragments, (index) => `...F${index}`);
  return `{ ${fields} ${spreads} } ${times(fragments, (index) => `fragment F${index} on Query { __typename }`)}`;
};

const ofAliases = (count: number) =>
  `mutation { ${times(count, (index) => `a${index}: createApiKey { key }`)} }`;

const ofDepth = (levels: number) =>
  `{ __type(name: "ApiKey") { ${'ofType { '.repeat(levels - 2)} name ${'} '.repeat(levels - 2)} } }`;

const ofDirectives = (count: number) => `{ ${times(count, () => '__typename @include(if: true)')} }`;

/** So many lists of a full page: 602 values each. */
const lists = (count: number) =>
  `{ ${times(count, (index) => `a${index}: apiKeys { edges { cursor node { id name keyPrefix createdAt } } }`)} }`;

/** Each limit: a document that it lets through, one that it does not, and what is said of that. */
const cases: [string, string, string, string][] = [
  ['tokens', ofTokens(1000), ofTokens(1001), '1000 tokens'],
  ['aliases', ofAliases(10), ofAliases(11), '10 aliases'],
  [
    'aliases in fragments',
    `{ ...F } fragment F on Query { ${times(10, (index) => `a${index}: privateKeyStatus { hasKey }`)} }`,
    `{ ...F } fragment F on Query { ${times(11, (index) => `a${index}: privateKeyStatus { hasKey }`)} }`,
    '10 aliases',
  ],
  ['directives', ofDirectives(20), ofDirectives(21), '20 directives'],
  ['depth', ofDepth(8), ofDepth(9), '8 levels'],
  [
    'depth in fragments',
    `{ ...F } fragment F on Query ${ofDepth(8)}`,
    `{ ... { ...F } } fragment F on Query ${ofDepth(9)}`,
    '8 levels',
  ],
  ['cost', lists(8), lists(9), '5000 values to answer'],
];

/** Sends a document in both ways in which it may be asked to be answered. */
const send = async (query: string) => {
  const token = await setup.sign();
  const modern = await setup.gateway.graphql(query, { token });
  const old = await setup.gateway.graphql(query, { token, headers: { accept: 'application/json' } });
  return [modern, old] as const;
};

describe('a document', () => {
  it.each(cases)('within the limit → answered: %s', async (_limit, within) => {
    const [answer] = await send(within);
    expect(answer.body).toEqual({ data: expect.any(Object) });
    expect(answer.status).toBe(200);
  });

  it.each(cases)('beyond the limit → 400, and nothing is run: %s', async (_limit, _within, beyond, what) => {
    const before = await setup.stored();
    for (const answer of await send(beyond)) {
      expect(answer.status).toBe(400);
      const message = `The document has more than ${what}`;
      expect(answer.body).toEqual({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    }
    expect(await setup.stored()).toEqual(before);
    const reasons = setup.gateway.log().map(({ reason }) => reason);
    expect(reasons).toEqual(['document-limit', 'document-limit']);
  });

  it('other limits in the configuration → apply in place of the usual ones', async () => {
    const documents = { tokens: 40, depth: 3, aliases: 1, directives: 1, cost: 20 };
    await using gateway = await createTestGateway(setup.issuer, { documents });
    const token = await setup.sign();
    const refused = [
      [ofTokens(41), '40 tokens'],
      [ofAliases(2), '1 aliases'],
      [ofDepth(4), '3 levels'],
      [ofDirectives(2), '1 directives'],
      ['{ apiKeys(first: 10) { edges { cursor } pageInfo { hasNextPage } } }', undefined],
      ['{ apiKeys(first: 20) { edges { cursor } pageInfo { hasNextPage } } }', '20 values to answer'],
    ] as const;
    for (const [query, what] of refused) {
      const { body } = await gateway.graphql(query, { token });
      expect(body.errors?.[0].message).toBe(what && `The document has more than ${what}`);
    }
  });
});

describe('a hostile document', () => {
  /** Documents that are small, and would be large, deep or endless to whoever follows them. */
  const hostile: [string, string][] = [
    ['a fragment in itself', '{ ...A } fragment A on Query { ...A }'],
    ['a cycle of fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    [
      'fragments that double at each step',
      `{ ...F0 } ${times(60, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F60 on Query { a: __typename b: __typename c: __typename d: __typename e: __typename f: __typename g: __typename h: __typename i: __typename j: __typename k: privateKeyStatus { hasKey } l: privateKeyStatus { hasKey } }`,
    ],
    ['a flood of directives', ofDirectives(160)],
    ['deep nesting', '{ privateKeyStatus '.repeat(400)],
    ['deep lists', `{ apiKey(keyId: ${'['.repeat(990)}`],
    ['a flood of comments', `{ __typenam } ${'#\n'.repeat(20_000)}`],
    ['a flood of one field', `{ privateKeyStatus { ${'hasKey '.repeat(980)} nothing } }`],
    [
      'introspection again and again',
      `{ ${times(9, (i) => `a${i}: __schema { types { fields { name description type { name kind } args { name } } } }`)} }`,
    ],
    [
      'introspection of introspection',
      `{ __schema { types { ${'fields { type { '.repeat(6)} name ${'} } '.repeat(6)} } } }`,
    ],
  ];

  it.each(hostile)('is refused at once: %s', async (_what, query) => {
    const token = await setup.sign();
    const send = (call: object) => setup.gateway.graphql(query, call);
    // What is loaded with the first request is not its fault.
    await setup.gateway.graphql('{ __typenam }', { token });
    const taken = await processorTime(async () => {
      const { status, body } = await send({ token });
      expect(status).toBe(400);
      expect(body).not.toHaveProperty('data');
    });
    expect(taken).toBeLessThan(await mostOfDocument());
    expect((await send({})).status).toBe(401);
  });
});

describe('introspection', () => {
  const deepest = getIntrospectionQuery({
    specifiedByUrl: true,
    inputValueDeprecation: true,
    schemaDescription: true,
    directiveIsRepeatable: true,
    oneOf: true,
  });

  it('the deepest query that tools send → answered', async () => {
    const answer = await setup.gateway.graphql(deepest, { token: await setup.sign() });
    expect(answer.body.errors).toBeUndefined();
    expect(answer.body.data.__schema.types.length).toBeGreaterThan(10);
  });

  it('does not lift the limits for other fields of the document', async () => {
    const token = await setup.sign();
    const beside = `{ __schema { types { name } } ${ofDepth(9).slice(1)}`;
    expect((await setup.gateway.graphql(beside, { token })).status).toBe(400);
  });
});
