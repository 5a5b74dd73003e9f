import { setTimeout as delay } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { sendRaw } from '../support/raw-http.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let tokens: { alice: string; bob: string };

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path, { LOG_LEVEL: 'silent' });
  tokens = { alice: await service.token('alice'), bob: await service.token('bob') };
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const fragments = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    i === count - 1
      ? `fragment F${i} on __Type{name}`
      : `fragment F${i} on __Type{ofType{...F${i + 1}}ofType{...F${i + 1}}}`,
  ).join('');

const send = async (token: string | undefined, json: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: await response.json() };
};

describe('a document from a stranger', () => {
  // Each test begins with a new second of the rate of introspection.
  beforeEach(() => delay(1000));

  it('does not stop the process, however often its fragments multiply', async () => {
    const query = `{__schema{queryType{...F0}}}${fragments(40)}`;
    for (const _ of [1, 2, 3]) {
      const answer = await fetch(`${service.url}/graphql?${new URLSearchParams({ query })}`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ data: { __schema: { queryType: { ofType: null } } } });
    }
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  });

  it('gets a response of at most 20 times its length, also if it is known by a token', async () => {
    const query = getIntrospectionQuery({ descriptions: true }).replaceAll(/\s+/g, ' ');
    const short = '{__schema{types{name description fields{name description type{name kind ofType{name}}}}}}';
    const plain = { 'accept-encoding': 'identity' };
    const expectBounds = async () => {
      for (const [text, headers] of [
        [query, plain],
        [short, plain],
      ] as const) {
        const refused = await send(undefined, { query: text }, headers);
        expect([refused.status, refused.body.errors[0].message]).toEqual([401, 'Not authenticated']);
      }
      // Tools take it compressed.
      const compressed = await send(undefined, { query });
      expect([compressed.status, compressed.body.data.__schema.queryType.name]).toEqual([200, 'Query']);
      return compressed.body;
    };
    const body = await expectBounds();
    for (const text of [query, short]) {
      const known = await send(tokens.alice, { query: text }, plain);
      expect(known.status).toBe(200);
      if (text === query) expect(known.body).toEqual(body);
    }
    await expectBounds();
  });

  it('gets no longer response because of an unread body of a GET', async () => {
    const query = getIntrospectionQuery({ descriptions: true }).replaceAll(/\s+/g, ' ');
    const target = `/graphql?${new URLSearchParams({ query })}`;
    const ask = (...fields: string[]) =>
      sendRaw(
        service.port,
        [`GET ${target} HTTP/1.1`, `Host: localhost:${service.port}`, 'Accept: */*', ...fields, '', ''].join(
          '\r\n',
        ),
      );
    expect((await ask()).status).toBe(401);
    expect((await ask('Content-Length: 60000')).status).toBe(401);
    expect((await ask(`X-Filler: ${'a'.repeat(12_000)}`)).status).toBe(200);
  });

  it('is refused if its fragments spread themselves', async () => {
    const query = '{__type(name:"__Type"){...A}} fragment A on __Type{fields{type{...A}} ofType{...A}}';
    const { status, body } = await send(tokens.alice, { query });
    expect([status, body.errors[0].message]).toEqual([
      400,
      'The document has more than 5000 values to answer',
    ]);
  });

  it('is answered ten times a second, whoever sends it and whether it is known', async () => {
    const query = '{ __schema { queryType { name } } }';
    expect((await send(tokens.alice, { query })).status).toBe(200);
    const sentAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(undefined, { query })));
    // One second more than the requests took, as they begin in the middle of one.
    const seconds = 1 + Math.ceil((performance.now() - sentAt) / 1000);
    const answered = answers.filter(({ status }) => status === 200).length;
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThanOrEqual(10 * seconds);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(40 - answered);
    expect((await send(tokens.alice, { query })).status).toBe(200);
  });
});

describe('a document from several callers', () => {
  it('is not changed by any of them: what one skips, another runs', async () => {
    const query = `mutation Preview($id:Int!,$dry:Boolean!){...R @skip(if:$dry) __typename}
      mutation Revoke($id:Int!){...R}
      fragment R on Mutation{deactivateApiKey(keyId:$id){id isActive}}`;
    const preview = { query, operationName: 'Preview', variables: { id: 1, dry: true } };
    for (const _ of [1, 2, 3])
      expect((await send(tokens.alice, preview)).body).toEqual({ data: { __typename: 'Mutation' } });
    const revoke = { query, operationName: 'Revoke', variables: { id: 4 } };
    expect((await send(tokens.bob, revoke)).body).toEqual({
      data: { deactivateApiKey: { id: 4, isActive: false } },
    });
  });

  it.each([
    [
      'a variable of an object’s own name',
      'query($toString:Int=1){apiKeys(first:$toString){edges{node{id}}}}',
    ],
    ['an alias that promises have', '{then:privateKeyStatus{then:hasKey}}'],
  ])('is answered again as at first: %s', async (_what, query) => {
    const first = await send(tokens.alice, { query });
    expect([first.status, first.body.errors]).toEqual([200, undefined]);
    for (const _ of [1, 2]) expect(await send(tokens.alice, { query })).toEqual(first);
  });
});
