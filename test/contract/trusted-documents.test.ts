import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { createTestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const status = 'query PrivateKeyStatus { privateKeyStatus { hasKey createdAt } }';
const settings = `
  query Read { automationSettings { isEnabled sessionDuration } }
  mutation Change($isEnabled: Boolean) { updateAutomationSettings(isEnabled: $isEnabled) { isEnabled } }
`;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

const { documents } = loadConfig({});
const trusted = { [digestOf(status)]: status, 'x-app:settings': settings };
const setup = setUpGateway({ documents: { ...documents, trusted } });

const accept = 'application/graphql-response+json';
const post = async (json: object, token?: string) =>
  setup.gateway.fetch('POST', '/graphql', { json, headers: { accept }, ...(token && { token }) });
const get = (parameters: Record<string, string>, token: string) =>
  setup.gateway.fetch('GET', `/graphql?${new URLSearchParams(parameters)}`, { token, headers: { accept } });

const notFound = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};
const statusId = `sha256:${digestOf(status)}`;
const apolloOf = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: digestOf(text) } });

describe('a trusted document', () => {
  it('is answered by its id as it is by its text, by POST and by GET', async () => {
    const token = await setup.sign();
    const byText = await post({ query: status }, token);
    expect(byText.body).toEqual({ data: { privateKeyStatus: { hasKey: false, createdAt: null } } });
    for (let times = 0; times < 2; times += 1) {
      expect(await post({ documentId: statusId }, token)).toMatchObject({ status: 200, text: byText.text });
      expect(await get({ documentId: statusId }, token)).toMatchObject({ status: 200, text: byText.text });
    }
  });

  it('may have several operations, with variables', async () => {
    const token = await setup.sign();
    const documentId = 'x-app:settings';
    const change = { documentId, operationName: 'Change', variables: { isEnabled: true } };
    expect((await post(change, token)).body).toEqual({
      data: { updateAutomationSettings: { isEnabled: true } },
    });
    expect((await post({ documentId, operationName: 'Read' }, token)).body).toEqual({
      data: { automationSettings: { isEnabled: true, sessionDuration: null } },
    });
    expect((await post({ ...change, variables: { isEnabled: 'yes' } }, token)).body).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    const answer = await get({ documentId, operationName: 'Change', variables: '{}' }, token);
    expect(answer.status).toBe(405);
  });

  it('needs the token and the scopes that its text needs', async () => {
    expect((await post({ documentId: statusId })).status).toBe(401);
    const token = await setup.sign({ scope: 'openid' });
    expect((await post({ documentId: statusId }, token)).status).toBe(403);
  });

  it('may ask for more than a caller’s document', async () => {
    await using gateway = await createTestGateway(setup.issuer, {
      documents: { ...documents, depth: 1, tokens: 1, trusted },
    });
    const token = await setup.sign();
    const byId = { json: { documentId: statusId }, token, headers: { accept } };
    expect((await gateway.fetch('POST', '/graphql', byId)).status).toBe(200);
    const url = `/graphql?documentId=${statusId}`;
    expect((await gateway.fetch('GET', url, { token, headers: { accept } })).status).toBe(200);
    expect((await gateway.graphql('{ privateKeyStatus { hasKey } }', { token })).status).toBe(400);
  });

  it('is found by the digest that Apollo’s clients send', async () => {
    const token = await setup.sign();
    expect((await post({ extensions: apolloOf(status) }, token)).body).toMatchObject({
      data: { privateKeyStatus: { hasKey: false } },
    });
  });
});

describe('an id that no document has', () => {
  it.each(['sha256:0', 'constructor', '__proto__', '', 'x'.repeat(10_000)])(
    'is not found: %.20s',
    async (id) => {
      const token = await setup.sign();
      expect((await post({ documentId: id }, token)).body).toEqual(notFound);
    },
  );

  it('is a query that is missing, where it is no text', async () => {
    const token = await setup.sign();
    for (const documentId of [1, null, ['a'], { a: 1 }]) {
      const answer = await post({ documentId }, token);
      expect([answer.status, answer.body.errors[0].message]).toEqual([400, 'Must provide query string.']);
    }
  });

  it('is never learnt from a caller, who sends the document itself', async () => {
    const token = await setup.sign();
    const query = '{ automationSettings { isEnabled } }';
    const extensions = apolloOf(query);
    expect((await post({ extensions }, token)).body).toEqual(notFound);
    expect((await post({ query, extensions }, token)).body).toEqual({
      data: { automationSettings: { isEnabled: null } },
    });
    expect((await post({ extensions }, token)).body).toEqual(notFound);
  });
});

describe('Apollo Client with its link for persisted queries', () => {
  it.each([
    ['asks by the digest alone where the document is trusted', status, [[false, true]]],
    [
      'sends the document where it is not',
      'query Other { automationSettings { isEnabled } }',
      [
        [false, true],
        [true, true],
      ],
    ],
  ])('%s', async (_what, text, expected) => {
    const token = await setup.sign();
    const asked: boolean[][] = [];
    const send = async (input: RequestInfo | URL, init?: RequestInit) => {
      const { query, extensions } = JSON.parse(`${init?.body}`);
      asked.push([query !== undefined, extensions?.persistedQuery !== undefined]);
      const request = new Request(input, init);
      request.headers.set('authorization', `Bearer ${token}`);
      return setup.gateway.gateway.fetch(request);
    };
    // The document as it is trusted: the digest is of its text.
    const link = new PersistedQueryLink({ generateHash: () => digestOf(text) });
    const http = new HttpLink({ uri: 'http://keyward.test/graphql', fetch: send });
    const cache = new InMemoryCache();
    const client = new ApolloClient({ cache, link: link.concat(http) });
    const { data, error } = await client.query({ query: gql(text), fetchPolicy: 'no-cache' });
    expect(error).toBeUndefined();
    expect(data).toEqual(expect.any(Object));
    expect(asked).toEqual(expected);
  });
});

describe('a list of trusted documents', () => {
  it('is what the example is', async () => {
    const file = new URL('../../examples/trusted-documents.json', import.meta.url);
    const list: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
    await using gateway = await createTestGateway(setup.issuer, {
      documents: { ...documents, trusted: list },
    });
    const token = await setup.sign();
    for (const [id, text] of Object.entries(list)) {
      const documentId = id.startsWith('x-') ? id : `sha256:${digestOf(text)}`;
      const answer = await gateway.fetch('POST', '/graphql', { json: { documentId }, token });
      expect(answer.body).toEqual({ data: expect.any(Object) });
    }
  });

  it('is refused with the id of each that no request could use', async () => {
    const bad = {
      unparsed: '{',
      unknown: '{ nothing }',
      good: status,
    };
    const start = createTestGateway(setup.issuer, { documents: { ...documents, trusted: bad } });
    await expect(start).rejects.toThrow(
      /:\n.*"unparsed": Syntax Error: .*\n.*"unknown": Cannot query field "nothing"[^\n]*$/,
    );
  });

  it('is refused where one asks about the schema, and introspection is off', async () => {
    const asking = { schema: '{ __schema { queryType { name } } }', 'type name': '{ __typename }' };
    const start = (introspection: boolean) =>
      createTestGateway(setup.issuer, { introspection, documents: { ...documents, trusted: asking } });
    await expect(start(false)).rejects.toThrow(/:\n.*"schema": GraphQL introspection[^\n]*$/);
    await using gateway = await start(true);
    expect((await gateway.fetch('POST', '/graphql', { json: { documentId: 'schema' } })).status).toBe(200);
  });
});
