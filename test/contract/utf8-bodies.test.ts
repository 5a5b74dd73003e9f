import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const issue = { message: 'The body is not valid UTF-8.', type: 'json_invalid' };

/** What is not UTF-8 (RFC 3629), and would be stored as U+FFFD. */
const broken: [string, number[]][] = [
  ['a byte of Latin-1', [0xe9]],
  ['a lone continuation', [0x80]],
  ['a sequence that is cut short', [0xe2, 0x82]],
  ['an overlong form', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['what is beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ['a byte that never occurs', [0xff]],
];

/** A body in which bytes stand where the text has a `@`. */
const bodyWith = (text: string, bytes: readonly number[]) => {
  const [before = '', after = ''] = text.split('@');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

const send = async (method: string, path: string, body: Uint8Array<ArrayBuffer>, headers = {}) => {
  const response = await setup.gateway.gateway.fetch(
    new Request(`http://keyward.test${path}`, {
      method,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    }),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
};

const restBody = '{"name":"a@b"}';
const graphqlBody = JSON.stringify({
  query: 'mutation ($name: String) { createApiKey(name: $name) { apiKey { name } } }',
  variables: { name: 'a@b' },
});
const authorized = async () => ({ authorization: `Bearer ${await setup.sign()}` });

describe('a body that is not UTF-8', () => {
  it.each(broken)('is 422 on REST, and nothing is stored: %s', async (_what, bytes) => {
    const answer = await send('POST', '/api/v1/auth/keys', bodyWith(restBody, bytes), await authorized());
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body'], msg: issue.message, type: issue.type }] },
    });
    expect(await setup.gateway.rows('api_key')).toEqual([]);
  });

  it.each(broken)('is 422 on GraphQL, and nothing is stored: %s', async (_what, bytes) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const headers = { ...(await authorized()), accept };
      const answer = await send('POST', '/graphql', bodyWith(graphqlBody, bytes), headers);
      expect([answer.status, answer.body]).toEqual([
        422,
        {
          errors: [
            {
              message: issue.message,
              extensions: { code: 'BAD_USER_INPUT', issues: [{ path: [], ...issue }] },
            },
          ],
        },
      ]);
    }
    expect(await setup.gateway.rows('api_key')).toEqual([]);
  });

  it.each(['document', 'name of a member'])('is 422 on GraphQL in the %s too', async (place) => {
    const body = place === 'document' ? '{"query":"{ __typename } # @"}' : '{"query":"{ __typename }","@":1}';
    expect((await send('POST', '/graphql', bodyWith(body, [0xff]), await authorized())).status).toBe(422);
  });

  it('no token → 401, no JSON → 415', async () => {
    const form = { ...(await authorized()), 'content-type': 'text/plain' };
    for (const [path, body] of [
      ['/api/v1/auth/keys', restBody],
      ['/graphql', graphqlBody],
    ] as const) {
      expect((await send('POST', path, bodyWith(body, [0xff]))).status).toBe(401);
      expect((await send('POST', path, bodyWith(body, [0xff]), form)).status).toBe(415);
    }
  });
});

describe('a body that is UTF-8', () => {
  it.each([
    ['two bytes', 'é'],
    ['three bytes', '€'],
    ['four bytes', '😀'],
    ['the replacement character itself', '\ufffd'],
  ])('is stored as it is: %s', async (_what, character) => {
    const bytes = [...Buffer.from(character)];
    const headers = await authorized();
    expect((await send('POST', '/api/v1/auth/keys', bodyWith(restBody, bytes), headers)).status).toBe(201);
    expect((await send('POST', '/graphql', bodyWith(graphqlBody, bytes), headers)).status).toBe(200);
    const name = `a${character}b`;
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ name }, { name }]);
  });

  it('with a byte order mark → 422, because it is no JSON', async () => {
    const body = Buffer.from('\ufeff{"name":"a"}');
    const answer = await send('POST', '/api/v1/auth/keys', body, await authorized());
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'json_invalid' }] } });
  });
});

describe('the encoding of a body', () => {
  const paths = [
    ['POST', '/api/v1/auth/keys', restBody],
    ['POST', '/graphql', graphqlBody],
  ] as const;

  it.each(paths)('compressed → 415 that says so: %s %s', async (method, path, text) => {
    for (const coding of ['gzip', 'br', 'identity, gzip', 'x'])
      for (const body of [new Uint8Array(gzipSync(text)), Buffer.from(text)]) {
        const headers = { ...(await authorized()), 'content-encoding': coding };
        const answer = await send(method, path, body, headers);
        expect(answer.status).toBe(415);
        expect(answer.headers.get('accept-encoding')).toBe('identity');
        expect(answer.text).toContain('The body must not be compressed');
      }
    expect(await setup.gateway.rows('api_key')).toEqual([]);
  });

  it.each(paths)('another charset than UTF-8 → 415: %s %s', async (method, path, text) => {
    for (const charset of ['iso-8859-1', '"UTF-16"', 'latin1', '']) {
      const headers = { ...(await authorized()), 'content-type': `application/json; charset=${charset}` };
      const answer = await send(method, path, Buffer.from(text), headers);
      expect([charset, answer.status]).toEqual([charset, 415]);
      expect(answer.text).toContain('The body must be in UTF-8');
    }
    expect(await setup.gateway.rows('api_key')).toEqual([]);
  });

  it.each(paths)('UTF-8 in any spelling → accepted: %s %s', async (method, path, text) => {
    for (const type of ['application/json; charset=utf-8', 'application/json;Charset="UTF-8"; x=y']) {
      const headers = { ...(await authorized()), 'content-type': type, 'content-encoding': 'identity' };
      expect((await send(method, path, Buffer.from(text), headers)).status).toBeOneOf([200, 201]);
    }
  });
});
