import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdlText } from '../../src/dev/contracts.ts';
import { challenge } from '../support/challenge.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let closed: TestGateway;
let token: string;
beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer);
  closed = await createTestGateway(issuer, { introspection: false });
  token = await issuer.sign();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

describe('GraphQL over HTTP', () => {
  const fetchWithToken = (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return gateway.gateway.fetch(new Request(url, { ...init, headers }));
  };
  const audits = serverAudits({ url: 'http://keyward.test/graphql', fetchFn: fetchWithToken });

  it('has at least 61 audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(61);
  });

  it.each(audits.map((audit) => [audit.id, audit.name, audit.fn] as const))(
    '%s %s',
    async (_id, _name, fn) => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    },
  );
});

describe('another media type of the body → 415', () => {
  it.each([
    ['application/x-www-form-urlencoded', 'query=%7B__typename%7D'],
    ['application/graphql', '{ __typename }'],
    ['text/plain', '{"query":"{ __typename }"}'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('%s', async (type, body) => {
    const answer = await gateway.fetch('POST', '/graphql', {
      token,
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ errors: [{ message: 'The body must be application/json' }] });
  });
});

describe('the media type of the request', () => {
  it.each(['Application/JSON', 'application/json ; charset=utf-8'])('may be spelled %s', async (type) => {
    const headers = { 'content-type': type };
    const answer = await gateway.fetch('POST', '/graphql', { headers, body: '{"query":"{ __typename }"}' });
    expect([answer.status, answer.body]).toEqual([200, { data: { __typename: 'Query' } }]);
  });
});

describe('the header Accept', () => {
  const query = '/graphql?query={__typename}';
  const refused = {
    errors: [
      {
        message: 'The answer can be application/json or application/graphql-response+json',
        extensions: { code: 'NOT_ACCEPTABLE' },
      },
    ],
  };

  it.each(['multipart/mixed', 'text/event-stream', 'text/html', 'application/json;q=0', 'a/b,'.repeat(3000)])(
    'neither media type → 406 without the data: %s',
    async (accept) => {
      const json = { query: '{ __typename }' };
      const headers = { accept };
      for (const answer of [
        await gateway.fetch('GET', query, { headers }),
        await gateway.fetch('POST', '/graphql', { headers, token, json }),
      ]) {
        expect([answer.status, answer.body]).toEqual([406, refused]);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(answer.headers.has('accept')).toBe(false);
      }
    },
  );

  it('neither media type → 406 before anything is run', async () => {
    const account = await gateway.createAccount('alice');
    const keyId = await gateway.createApiKey(account);
    const json = { query: `mutation { deactivateApiKey(keyId: ${keyId}) { id } }` };
    const headers = { accept: 'multipart/mixed' };
    expect((await gateway.fetch('POST', '/graphql', { headers, token, json })).status).toBe(406);
    expect(await gateway.rows('api_key')).toMatchObject([{ id: keyId, is_active: 1 }]);
  });

  it.each([
    ['PUT', '/graphql', 405, {}],
    ['POST', '/graphql', 413, { 'content-length': '99999' }],
  ])(
    'neither media type, but a wrong method or too large a body → 405 or 413: %s %s',
    async (method, path, status, sizes) => {
      const headers = { accept: 'multipart/mixed', ...sizes };
      const answer = await gateway.fetch(method, path, { headers, ...(method === 'POST' && { json: {} }) });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    },
  );

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['multipart/mixed, application/graphql-response+json', 'application/graphql-response+json'],
    ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
    ['text/event-stream, */*;q=0.1', 'application/json'],
  ])('%s → 200 in %s', async (accept, mediaType) => {
    const answer = await gateway.fetch('GET', query, { headers: accept === undefined ? {} : { accept } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(`${mediaType}; charset=utf-8`);
  });
});

describe('a query string', () => {
  it.each(['variables={', 'extensions=x', 'variables=[1', 'variables={}&extensions={]'])(
    'with variables or extensions that are not JSON → 400: %s',
    async (parameters) => {
      const answer = await gateway.fetch('GET', `/graphql?query={__typename}&${parameters}`, { token });
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          errors: [
            {
              message: 'The variables or extensions are not valid JSON',
              extensions: { code: 'BAD_REQUEST' },
            },
          ],
        },
      ]);
    },
  );
});

describe('a body that is no JSON object', () => {
  it.each(['{"query":"{ __typename }", canary7f3a', '', '5', 'null', '"canary7f3a"', 'canary7f3a'])(
    'is a 400 that repeats nothing of it: %j',
    async (body) => {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const headers = { accept, 'content-type': 'application/json' };
        const answer = await gateway.fetch('POST', '/graphql', { token, headers, body });
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual({
          errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }],
        });
        expect(answer.text).not.toMatch(/canary|position|SyntaxError|Unexpected/);
      }
    },
  );
});

describe('a batch', () => {
  it.each([1, 2])('of %i is a 400', async (length) => {
    const json = Array.from({ length }, () => ({ query: '{ __typename }' }));
    const answer = await gateway.fetch('POST', '/graphql', { token, json });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toHaveProperty('data');
  });
});

const unauthenticated = {
  errors: [{ message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } }],
};

describe('introspection', () => {
  it('is allowed without a token, and shows the published schema', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await gateway.graphql(getIntrospectionQuery({ specifiedByUrl: true }), { headers });
    expect(answer.status).toBe(200);
    const shown = lexicographicSortSchema(buildClientSchema(answer.body.data));
    expect(`${printSchema(shown)}\n`).toBe(sdlText());
  });

  it.each([
    '{ __typename }',
    'mutation { __typename }',
    '{ __type(name: "ApiKey") { fields { name } } }',
    '{ __schema { types { ...T } } } fragment T on __Type { name }',
  ])('needs no token: %s', async (query) => {
    const answer = await gateway.graphql(query);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: expect.any(Object) });
  });

  it.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "ApiKey") { name } }',
    '{ ... { __schema { types { name } } } }',
  ])('can be switched off: %s', async (query) => {
    const answer = await closed.graphql(query, { token });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.text).toContain('introspection');
    expect(answer.text).not.toContain('ApiKey"}');
  });

  it('switched off → operations still work', async () => {
    const answer = await closed.graphql('{ __typename privateKeyStatus { hasKey } }', { token });
    expect(answer.body).toEqual({ data: { __typename: 'Query', privateKeyStatus: { hasKey: false } } });
  });

  it('switched off, without a token → an error that shows nothing of the schema', async () => {
    const answer = await closed.graphql(getIntrospectionQuery());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toMatch(/ApiKey|privateKeyStatus|keyPrefix/);
  });
});

describe('without a token', () => {
  it.each([
    ['an operation', '{ privateKeyStatus { hasKey } }'],
    ['one beside introspection', '{ __typename privateKeyStatus { hasKey } }'],
    ['one under the name of introspection', '{ __typename: privateKeyStatus { hasKey } }'],
    ['one in a fragment', '{ ...F } fragment F on Query { privateKeyStatus { hasKey } }'],
    ['one in an inline fragment', '{ ... on Query { privateKeyStatus { hasKey } } }'],
    ['one that is skipped', '{ privateKeyStatus @skip(if: true) { hasKey } }'],
    ['one in another operation', 'query A { __typename } mutation B { deactivateApiKey(keyId: 1) { id } }'],
    ['a fragment on a type of ours', '{ __typename } fragment F on ApiKey { id }'],
    ['a misspelt root field', '{ privateKeyStatu { hasKey } }'],
    ['a misspelt field', '{ privateKeyStatus { hasKe } }'],
    ['a misspelt field in a fragment', '{ __typename } fragment F on ApiKey { keyPrefi }'],
    ['a misspelt argument', 'mutation { deactivateApiKey(keyI: 1) { id } }'],
    ['a misspelt type', 'query ($x: ApiKe) { privateKeyStatus { hasKey } }'],
    ['no selection', '{ privateKeyStatus }'],
    ['an empty document', ''],
    ['what is no GraphQL', '{ privateKeyStatus {'],
    ['an unknown operation', 'subscription { privateKeyStatus }'],
  ])('%s → 401, without any other error', async (_what, query) => {
    const answer = await gateway.graphql(query);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge());
    expect(answer.body).toEqual(unauthenticated);
  });

  it.each(['{"query":5}', '{}', '[]', 'null', '{"query":', ''])(
    'the body %j → 401, without any other error',
    async (body) => {
      const headers = { accept: 'application/graphql-response+json', 'content-type': 'application/json' };
      const answer = await gateway.fetch('POST', '/graphql', { body, headers });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(unauthenticated);
    },
  );

  it.each([
    '{ __schema { typs { name } } }',
    '{ __type(name: "ApiKey") { fieldz { name } } }',
    '{ __typenam }',
    'mutation { __typenam }',
    '{ __schema { types { name } } } fragment T on __Typ { name }',
    'query ($x: ApiKe) { __typename }',
    'query ($x: [PrivateKeyStatu!]) { __type(name: $x) { name } }',
    '{ __type(name: PrivateKeyStatu) { name } }',
    '{ __typename @deprecate }',
  ])('a misspelt name → no suggestion: %s', async (query) => {
    for (const { graphql } of [gateway, closed]) {
      const answer = await graphql(query);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toMatch(/Did you mean/);
    }
  });
});
