import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { type DocumentNode, print, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { pageDocuments } from '../../src/pages/page-files.ts';
import { createTestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const pages = { shown: ['console'], signIn: undefined } as const;
const setup = setUpGateway({ pages });

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** The page's document of an operation. */
const documentOf = (operation: string): string =>
  Object.values(pageDocuments()).find((text) => text.includes(` ${operation}`)) ?? '';

const status = documentOf('PrivateKeyStatus');
const change = documentOf('UpdateAutomationSettings');

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

describe("the pages' documents", () => {
  const files = globSync('web/**/documents.ts').map((path) => resolve(path));

  it.each(files)('are allowed by the schema: %s', async (file) => {
    const documents: DocumentNode[] = Object.values(await import(file));
    expect(documents.length).toBeGreaterThan(0);
    for (const document of documents) expect(validate(schema, document)).toEqual([]);
  });

  it.each(files)('are known to the server: %s', async (file) => {
    const documents: DocumentNode[] = Object.values(await import(file));
    const known = Object.values(pageDocuments());
    for (const document of documents) expect(known).toContain(print(document));
  });

  it('have the digest of their text as their id', () => {
    for (const [id, text] of Object.entries(pageDocuments())) expect(id).toBe(`sha256:${digestOf(text)}`);
  });

  it('are unknown if the pages are switched off', async () => {
    await using gateway = await createTestGateway(setup.issuer);
    const token = await setup.sign();
    const answer = await gateway.fetch('POST', '/graphql', { json: { documentId: statusId }, token });
    expect(answer.body).toEqual(notFound);
  });
});

describe('a document of the pages', () => {
  it('sent by its id, by POST or GET → the same answer as by its text', async () => {
    const token = await setup.sign();
    const byText = await post({ query: status }, token);
    expect(byText.body).toEqual({
      data: { privateKeyStatus: { hasKey: false, fingerprint: null, createdAt: null, updatedAt: null } },
    });
    for (let times = 0; times < 2; times += 1) {
      expect(await post({ documentId: statusId }, token)).toMatchObject({ status: 200, text: byText.text });
      expect(await get({ documentId: statusId }, token)).toMatchObject({ status: 200, text: byText.text });
    }
  });

  it('takes variables; a mutation by GET → refused', async () => {
    const token = await setup.sign();
    const documentId = `sha256:${digestOf(change)}`;
    expect((await post({ documentId, variables: { isEnabled: true } }, token)).body).toMatchObject({
      data: { updateAutomationSettings: { isEnabled: true } },
    });
    expect((await post({ documentId, variables: { isEnabled: 'yes' } }, token)).body).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect((await get({ documentId, variables: '{}' }, token)).status).toBe(405);
  });

  it('needs the token and the scopes that its text needs', async () => {
    expect((await post({ documentId: statusId })).status).toBe(401);
    const token = await setup.sign({ scope: 'openid' });
    expect((await post({ documentId: statusId }, token)).status).toBe(403);
  });

  it('may go beyond the limits for a caller’s document', async () => {
    const documents = { tokens: 1, depth: 1, aliases: 0, directives: 0, cost: 0 };
    await using gateway = await createTestGateway(setup.issuer, { pages, documents });
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

  it('an id that is no text → 400, because the query is missing', async () => {
    const token = await setup.sign();
    for (const documentId of [1, null, ['a'], { a: 1 }]) {
      const answer = await post({ documentId }, token);
      expect([answer.status, answer.body.errors[0].message]).toEqual([400, 'Must provide query string.']);
    }
  });

  it('a caller sends a document with its digest → answered, but the digest stays unknown', async () => {
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
    ['asks by the digest alone where the pages have the document', status, [[false, true]]],
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
    // The digest is of the text as the pages have it.
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
