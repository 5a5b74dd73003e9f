import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** What is kept of a token at most, in bytes: its nodes, and what was found out about them. */
const tokenSize = 1000;

/** How much memory a parsed document takes up at most, in bytes. Comments are tokens here. */
function sizeOf(document: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + tokens * tokenSize;
}

const none = { get: () => undefined, set: () => {} };

/**
 * Yoga's caches. Parsed documents are kept by their text, those that were used last. What else is known of a document,
 * such as its validation, goes with it. A text that is no document is not kept: it costs no more
 * to find that out again.
 * @param bytes the most memory that they may take up; 0: none is kept
 */
export const createDocumentCaches = (bytes: number) => ({
  documentCache:
    bytes === 0 ? none : new LRUCache<string, DocumentNode>({ maxSize: bytes, sizeCalculation: sizeOf }),
  errorCache: none,
});
