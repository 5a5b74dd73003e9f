import { createYoga } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import type { WithAccessToken } from '../../../src/auth/caller.ts';
import { createDocumentCache } from '../../../src/graphql/document-cache.ts';
import { useKnownDocuments } from '../../../src/graphql/use-known-documents.ts';
import { schema } from '../../../src/schema.ts';

const accessToken = { issuer: 'i', subject: 's', scopes: new Set<string>(), expiresAt: 0 };

/** What is kept of a document after it was sent, by a caller with a token or without one. */
async function keptOf(query: string, isKnown: boolean) {
  const documents = createDocumentCache(1_000_000);
  const yoga = createYoga<WithAccessToken>({
    schema,
    parserAndValidationCache: false,
    plugins: [useKnownDocuments(documents)],
  });
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://keyward.test/graphql', { method: 'POST', headers, body });
  const response = await yoga.handle(request, isKnown ? { accessToken } : {});
  await response.text();
  return documents.get(query);
}

describe('a document is kept', () => {
  const query = '{ __type(name: "ApiKey") { name } }';

  it('of a caller with a token', async () => {
    expect(await keptOf(query, true)).toMatchObject({ kind: 'Document' });
  });

  it('of nobody without one: strangers displace nothing', async () => {
    expect(await keptOf(query, false)).toBeUndefined();
  });

  it.each(['{ nothing }', '{ privateKeyStatus', ''])('not where it is not valid: %s', async (invalid) => {
    expect(await keptOf(invalid, true)).toBeUndefined();
  });
});
