import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../support/gateway.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

/** The public list, and what no text may hold. */
const texts: readonly string[] = [...naughtyStrings, 'a\0b', '\ud800', 'a\udc00b', '\u2028', '\ufeffa'];

const internals = /node_modules|\bat .+:\d+:\d+|SQLITE|syntax error at or near/;

/** Calls something with each text; no answer may be a failure of the service, or show how it is made. */
const callEach = async (call: (text: string, token: string) => Promise<Answer>): Promise<Answer[]> => {
  const token = await setup.sign();
  const answers: Answer[] = [];
  for (const text of texts) {
    answers.push(await call(text, token));
  }
  const failures = answers.filter((answer) => answer.status >= 500 || internals.test(answer.text));
  expect(failures).toEqual([]);
  return answers;
};

/** What becomes of a name: kept byte for byte but for white space around it, or refused. */
const keptOf = (text: string): string | undefined => {
  const name = text.trim();
  const isKept = text.isWellFormed() && !text.includes('\0') && name.length >= 1 && [...name].length <= 100;
  return isKept ? name : undefined;
};

const kept = texts.map(keptOf);

describe('a name of an API key is kept byte for byte, or refused', () => {
  it('over REST', async () => {
    const account = await setup.gateway.createAccount('alice');
    const id = await setup.gateway.createApiKey(account);
    const answers = await callEach((name, token) =>
      setup.gateway.rest('PATCH', `/auth/keys/${id}`, { token, json: { name } }),
    );
    expect(answers.map(({ status, body }) => (status === 200 ? body.name : undefined))).toEqual(kept);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
  });

  it('over GraphQL, and in the database', async () => {
    const query = 'mutation ($name: String) { createApiKey(name: $name) { apiKey { name } } }';
    const answers = await callEach((name, token) =>
      setup.gateway.graphql(query, { token, variables: { name } }),
    );
    expect(answers.map(({ body }) => body.data?.createApiKey.apiKey.name)).toEqual(kept);
    const stored = await setup.gateway.rows('api_key');
    expect(stored.map(({ name }) => name)).toEqual(kept.filter((name) => name !== undefined));
  });
});

describe('metadata of an API key is kept byte for byte, names and values, or refused', () => {
  it('over REST and GraphQL', async () => {
    const account = await setup.gateway.createAccount('alice');
    const id = await setup.gateway.createApiKey(account);
    const metadataOf = (text: string) => JSON.parse(JSON.stringify({ [`x${text}`]: { [text]: [text] } }));
    const isKept = (text: string) =>
      text.isWellFormed() &&
      !text.includes('\0') &&
      Buffer.byteLength(JSON.stringify(metadataOf(text))) <= 2048;
    const expected = texts.map((text) => (isKept(text) ? JSON.stringify(metadataOf(text)) : undefined));
    const rest = await callEach((text, token) =>
      setup.gateway.rest('PATCH', `/auth/keys/${id}`, { token, json: { metadata: metadataOf(text) } }),
    );
    const ofRest = rest.map(({ status, body }) =>
      status === 200 ? JSON.stringify(body.metadata) : undefined,
    );
    expect(ofRest).toEqual(expected);
    const query =
      'mutation ($id: Int!, $m: JSONObject) { updateApiKey(keyId: $id, metadata: $m) { metadata } }';
    const graphql = await callEach((text, token) =>
      setup.gateway.graphql(query, { token, variables: { id, m: metadataOf(text) } }),
    );
    const told = graphql.map(({ body }) => body.data && JSON.stringify(body.data.updateApiKey.metadata));
    expect(told.map((text) => text ?? undefined)).toEqual(expected);
  });
});

describe('a permission is kept if it is a name, or refused', () => {
  it('over REST', async () => {
    const account = await setup.gateway.createAccount('alice');
    const id = await setup.gateway.createApiKey(account);
    const answers = await callEach((text, token) =>
      setup.gateway.rest('PATCH', `/auth/keys/${id}`, { token, json: { permissions: [text] } }),
    );
    expect(answers.map(({ status, body }) => (status === 200 ? body.permissions[0] : undefined))).toEqual(
      texts.map((text) => (/^[a-z0-9._:*-]{1,100}$/.test(text) && !text.endsWith('\n') ? text : undefined)),
    );
  });
});

/** The other inputs that are text: none of the strings is one that they take. */
const refusing: [string, (text: string, token: string) => Promise<Answer>][] = [
  [
    'privateKey',
    (text, token) => setup.gateway.rest('POST', '/auth/private-key', { token, json: { private_key: text } }),
  ],
  [
    'privateKey over GraphQL',
    (text, token) =>
      setup.gateway.graphql('mutation ($k: String!) { registerPrivateKey(privateKey: $k) { hasKey } }', {
        token,
        variables: { k: text },
      }),
  ],
  [
    'expiresAt',
    (text, token) => setup.gateway.rest('POST', '/auth/keys', { token, json: { expires_at: text } }),
  ],
  ['cursor', (text, token) => setup.gateway.rest('GET', `/auth/keys?${query('cursor', text)}`, { token })],
  [
    'after',
    (text, token) =>
      setup.gateway.graphql('query ($c: String) { apiKeys(after: $c) { edges { cursor } } }', {
        token,
        variables: { c: text },
      }),
  ],
  ['keyId', (text, token) => setup.gateway.rest('GET', `/auth/keys/${path(text)}`, { token })],
];

const query = (name: string, text: string) => new URLSearchParams({ [name]: text }).toString();
const path = (text: string) => encodeURIComponent(text.toWellFormed());

describe('any other text is refused', () => {
  it.each(refusing)('%s', async (_input, call) => {
    const answers = await callEach(call);
    const taken = answers.flatMap(({ status }, index) =>
      [400, 404, 422].includes(status) ? [] : [texts[index]],
    );
    expect(taken).toEqual([]);
    expect(await setup.gateway.rows('private_key')).toEqual([]);
  });
});

describe('any string to verify is no API key', () => {
  it('over REST and GraphQL', async () => {
    const token = await setup.sign({ scope: 'keys.verify' });
    const ask = 'mutation ($key: String!) { verifyApiKey(key: $key) { valid reason } }';
    const rest = await callEach((key) =>
      setup.gateway.rest('POST', '/keys/verify', { token, json: { key } }),
    );
    const graphql = await callEach((key) => setup.gateway.graphql(ask, { token, variables: { key } }));
    const answers = [
      ...rest.map(({ body }) => body),
      ...graphql.map(({ body }) => body.data?.verifyApiKey ?? body),
    ];
    for (const answer of answers) expect(answer.valid).not.toBe(true);
  });
});
