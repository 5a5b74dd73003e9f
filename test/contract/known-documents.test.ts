import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../src/auth/scopes.ts';
import { type Call, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

const document = `
  query Status { privateKeyStatus { hasKey createdAt } }
  query List($first: Int) { apiKeys(first: $first) { edges { node { id } } } }
  mutation Settings($seconds: Int) { updateAutomationSettings(sessionDuration: $seconds) { sessionDuration } }
  mutation Deactivate($keyId: Int!) { deactivateApiKey(keyId: $keyId) { id } }
`;

const json = (operationName: unknown, variables?: unknown, more: object = {}): Call => ({
  json: { query: document, operationName, variables, ...more },
});

/** Requests with a document that is kept; those with `good` are answered with data. */
const requests: Record<string, Call & { good?: true; scope?: string; signedOut?: true }> = {
  'an operation': { ...json('Status'), good: true },
  'another operation': { ...json('List', { first: 1 }), good: true },
  'a variable left out': { ...json('List'), good: true },
  'a mutation': { ...json('Settings', { seconds: 600 }), good: true },
  'variables that are null': { ...json('Status', null), good: true },
  'another media type': { ...json('Status'), headers: { accept: 'application/json' }, good: true },
  'no operation name': json(undefined),
  'an operation that is not there': json('Other'),
  'an operation name that is no text': json(5),
  'a variable of a wrong type': json('Settings', { seconds: 'long' }),
  'a variable out of bounds': json('Settings', { seconds: 5 }),
  'a required variable left out': json('Deactivate'),
  'a key that is not there': json('Deactivate', { keyId: 1 }),
  'variables that are no object': json('Status', 'first'),
  'an unknown parameter': json('Status', {}, { unknown: 1 }),
  'a media type that is not answered': { ...json('Status'), headers: { accept: 'text/html' } },
  'a token without a scope': { ...json('Deactivate', { keyId: 1 }), scope: signedIn.join(' ') },
  'a token without scopes': { ...json('Status'), scope: '' },
  'no token': { ...json('Status'), signedOut: true },
};

let issuer: TestIssuer;
/** It has seen the document. */
let gateway: TestGateway;

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer);
  for (const operation of ['Status', 'Status', 'List', 'List', 'Settings'])
    await gateway.fetch('POST', '/graphql', { token: await issuer.sign(), ...json(operation) });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/** The same document, as no request has had it: what is kept is found by the text. */
const asNew = (text: string): string => `${text}# ${randomUUID()}`;

/** All of an answer but its own id, and its length, which Node's listener adds. */
const answerOf = async (method: string, path: string, call: Call) => {
  const { status, headers, body } = await gateway.fetch(method, path, call);
  headers.delete('x-request-id');
  headers.delete('content-length');
  return { status, body, headers: [...headers] };
};

describe('a document that was sent before', () => {
  it.each(Object.entries(requests))('gets the same answer as a new document: %s', async (_name, request) => {
    const { good = false, scope, signedOut, ...call } = request;
    const token = await issuer.sign(scope === undefined ? {} : { scope });
    const sent: Call = {
      ...call,
      headers: { accept: 'application/graphql-response+json', ...call.headers },
      ...(!signedOut && { token }),
    };
    const expected = await answerOf('POST', '/graphql', {
      ...sent,
      json: { ...(call.json as object), query: asNew(document) },
    });
    expect(await answerOf('POST', '/graphql', sent)).toEqual(expected);
    expect(expected.status === 200 && !expected.body.errors).toBe(good);
  });

  it.each([
    ['Status', 200],
    ['Settings', 405],
  ])('gets the same answer as a new document by GET: %s', async (operationName, status) => {
    const token = await issuer.sign();
    const ask = (query: string) =>
      answerOf('GET', `/graphql?${new URLSearchParams({ query, operationName })}`, { token });
    const expected = await ask(asNew(document));
    expect(await ask(document)).toEqual(expected);
    expect(expected.status).toBe(status);
  });

  it('only introspection, several times without a token → answered', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const introspection = { headers, json: { query: getIntrospectionQuery() } };
    for (const _ of [1, 2, 3]) {
      const { status, body } = await gateway.fetch('POST', '/graphql', introspection);
      expect([status, body.data.__schema.queryType.name]).toEqual([200, 'Query']);
    }
  });
});
