import { type DocumentNode, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import type { WithAccessToken } from '../../../src/auth/caller.ts';
import { schema } from '../../../src/gateway/schema.ts';
import { createDocumentCache, useKnownDocuments } from '../../../src/graphql/kept-documents.ts';

const put = (cache: { set(text: string, document: DocumentNode): unknown }, text: string): void => {
  cache.set(text, parse(text));
};

describe('the cache of documents', () => {
  const numbered = (index: number) => `{ a${index} }`;

  it('keeps the most recently used ones that fit', () => {
    // A little over 5 KB each, with the two ends of its list of tokens.
    const cache = createDocumentCache(16_000);
    put(cache, numbered(0));
    put(cache, numbered(1));
    expect(cache.get(numbered(0))).toEqual(parse(numbered(0)));
    put(cache, numbered(2));
    put(cache, numbered(3));
    expect([0, 1, 2, 3].map((index) => cache.get(numbered(index)) !== undefined)).toEqual([
      ...[true, false, true, true],
    ]);
  });

  it.each([
    ['a long text', `{ a } # ${'x'.repeat(64 * 1024)}`],
    ['many tokens', `{ ${'a '.repeat(1000)} }`],
    ['many comments', `{ a } ${'#\n'.repeat(1000)}`],
  ])('does not keep one that is too large: %s', (_what, text) => {
    const cache = createDocumentCache(100_000);
    put(cache, text);
    expect(cache.get(text)).toBeUndefined();
  });
});

const accessToken = { issuer: 'i', subject: 's', scopes: new Set<string>(), expiresAt: 0 };

/** What is kept of a document after it was sent, by a caller with a token or without one. */
async function keptOf(query: string, isKnown: boolean) {
  const documents = createDocumentCache(1_000_000);
  const yoga = createYoga<WithAccessToken>({
    schema,
    parserAndValidationCache: false,
    plugins: [useKnownDocuments(documents, () => undefined)],
  });
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://keyward.test/graphql', { method: 'POST', headers, body });
  const response = await yoga.handle(request, isKnown ? { accessToken } : {});
  await response.text();
  return documents.get(query);
}

describe('whether a document is kept', () => {
  const query = '{ __type(name: "ApiKey") { name } }';

  it('from a caller with a token → kept', async () => {
    expect(await keptOf(query, true)).toMatchObject({ kind: 'Document' });
  });

  it('from a caller without a token → not kept', async () => {
    expect(await keptOf(query, false)).toBeUndefined();
  });

  it.each(['{ nothing }', '{ privateKeyStatus', ''])('invalid → not kept: %s', async (invalid) => {
    expect(await keptOf(invalid, true)).toBeUndefined();
  });
});
