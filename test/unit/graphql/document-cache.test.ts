import { type DocumentNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createDocumentCache } from '../../../src/graphql/document-cache.ts';

const put = (cache: { set(text: string, document: DocumentNode): unknown }, text: string): void => {
  cache.set(text, parse(text));
};

describe('the cache of documents', () => {
  const numbered = (index: number) => `{ a${index} }`;

  it('keeps those that were used last, as many as there is room for', () => {
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
  ])('keeps nothing that there is no room for: %s', (_what, text) => {
    const cache = createDocumentCache(100_000);
    put(cache, text);
    expect(cache.get(text)).toBeUndefined();
  });

  it('keeps nothing where it has no room at all', () => {
    const cache = createDocumentCache(0);
    put(cache, '{ a }');
    expect(cache.get('{ a }')).toBeUndefined();
  });
});
