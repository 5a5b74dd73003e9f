import { getIntrospectionQuery } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import type { AnyPlugin } from '../../src/graphql/run-operation.ts';
import { useIntrospection } from '../../src/graphql/use-introspection.ts';
import type { Call } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** 89 characters, answered with 55 kB. */
const short = '{__schema{types{name description fields{name description type{name kind ofType{name}}}}}}';
/** Answered with several hundred kB, of which gzip leaves little. */
const long = `{ ${times(10, (i) => `${'a'.repeat(150)}${i}: __schema { types { name kind fields { name } } }`)} }`;

/** The seconds beside those of the clock. */
let seconds = 0;
beforeEach(() => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 1000 * seconds);
  seconds += 10;
});

const ask = (query: string, call: Call = {}) =>
  setup.gateway.fetch('POST', '/graphql', { json: { query }, ...call });

const reasons = () => setup.gateway.log().flatMap(({ msg, reason }) => (msg === 'request' ? [reason] : []));

describe('introspection without a token', () => {
  it.each([
    ['identity', short],
    ['identity', long],
    ['gzip', short],
  ])(
    'has at most 20 times the length of its request, also if the document is known: %s, %s',
    async (coding, query) => {
      const headers = { 'accept-encoding': coding };
      expect((await ask(query, { headers })).status).toBe(401);
      expect((await ask(query, { headers, token: await setup.sign() })).status).toBe(200);
      expect((await ask(query, { headers })).status).toBe(401);
      expect((await ask(query, { headers: { ...headers, authorization: 'Basic YTpi' } })).status).toBe(401);
      const refused = reasons().filter((reason) => reason !== undefined);
      expect(refused).toEqual(Array(3).fill('introspection-length'));
    },
  );

  it('counts to 10 in a second, and needs a token for more', async () => {
    const query = '{ __schema { queryType { name } } }';
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await ask(query)).status));
    expect(statuses).toEqual([...Array(10).fill(200), 401, 401]);
    expect(reasons().slice(10)).toEqual(['introspection-rate', 'introspection-rate']);
    // What only asks whether the service is there is not counted.
    expect((await ask('{ __typename }')).status).toBe(200);
    expect((await ask(query, { token: await setup.sign() })).status).toBe(200);
    seconds += 1;
    expect((await ask(query)).status).toBe(200);
  });

  it.each([
    ['a document that is not valid', '{ __schema { nothing } }'],
    ['a long one that asks for little', `{ __typename }${' '.repeat(100)}`],
    ['many variables', `query (${times(200, (i) => `$v${i}: Int`)}) { __typename }`],
    ['an unknown operation name', 'query A { __typename } query B { __typename }'],
  ])('counts what costs something all the same: %s', async (_what, query) => {
    for (const _ of Array(10)) await ask(query);
    await ask('{ __schema { queryType { name } } }');
    expect(reasons().at(-1)).toBe('introspection-rate');
  });
});

/** Yoga with the plugin, and how often it has validated and run a document. */
function countWork() {
  const work = { validated: 0, run: 0 };
  const counting: AnyPlugin = {
    onValidate: () => {
      work.validated += 1;
    },
    onExecute: () => {
      work.run += 1;
    },
  };
  const yoga = createYoga({
    schema,
    logging: false,
    plugins: [useIntrospection(schema, true) as AnyPlugin, counting],
  });
  const send = async (query: string, headers: Record<string, string> = {}, variables?: object) => {
    seconds += 1;
    const body = JSON.stringify({ query, variables });
    const sent = { ...headers, 'content-type': 'application/json', 'content-length': `${body.length}` };
    const request = new Request('http://keyward.test/graphql', { method: 'POST', headers: sent, body });
    const response = await yoga.fetch(request, { headers: sent } as never);
    return { text: await response.text(), work: { ...work } };
  };
  return { send };
}

const none = { validated: 0, run: 0 };
const once = { validated: 1, run: 1 };

describe('introspection that is too long', () => {
  it.each([
    ['the usual query of tools', getIntrospectionQuery()],
    ['a short query with a long answer', short],
    ['the same several times', long],
    [
      'fragments that double',
      `{ __schema { types { ...F0 } } } ${times(9, (i) => `fragment F${i} on __Type { fields { type { ...F${i + 1} } } ofType { ...F${i + 1} } }`)} fragment F9 on __Type { name }`,
    ],
  ])('is refused before it is validated or run: %s', async (_what, query) => {
    const { text, work } = await countWork().send(query);
    expect(text).toContain('"errors"');
    expect(work).toEqual(none);
  });

  it.each(['identity', 'gzip'])(
    'above 200 kB, is refused however long its request is: %s',
    async (coding) => {
      const headers = { 'accept-encoding': coding };
      const padding = ' '.repeat(50_000);
      const tenTimes = `{ ${times(10, (i) => `a${i}: ${short.slice(1, -1)}`)} }`;
      const { send } = countWork();
      expect((await send(tenTimes + padding, headers)).work).toEqual(none);
      expect((await send(getIntrospectionQuery() + padding, headers)).work).toEqual(once);
    },
  );

  it('is refused before that also if it is to be compressed, above 100 times its length', async () => {
    const { send } = countWork();
    const gzip = { 'accept-encoding': 'gzip' };
    expect((await send(short, gzip)).work).toEqual(none);
    expect((await send(getIntrospectionQuery(), gzip)).work).toEqual(once);
  });

  it.each([
    ['a type by a variable', 'query ($n: String!) { __type(name: $n) { name kind } }', { n: 'ApiKey' }],
    [
      'a variable with a default',
      'query ($n: String = "ApiKey") { __type(name: $n) { name kind } }',
      undefined,
    ],
    ['a type that there is not', '{ __type(name: "Nothing") { fields { name } } }', undefined],
    ['a little of the schema', '{ __schema { queryType { name } directives { name } } }', undefined],
  ])('is not what is short: %s', async (_what, query, variables) => {
    const { text, work } = await countWork().send(query, {}, variables);
    expect(text).toContain('"data"');
    expect(work).toEqual(once);
  });
});
