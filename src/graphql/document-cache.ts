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

/** Parsed documents by their text. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/**
 * Keeps the documents that were used last.
 * @param bytes the most memory that they may take up; 0: none is kept
 * @param always documents by their texts that are kept for good, beside the others
 */
export function createDocumentCache(
  bytes: number,
  always: ReadonlyMap<string, DocumentNode> = new Map(),
): DocumentCache {
  if (bytes === 0) return { get: (text) => always.get(text), set: () => {} };
  const kept = new LRUCache<string, DocumentNode>({ maxSize: bytes, sizeCalculation: sizeOf });
  return {
    get: (text) => always.get(text) ?? kept.get(text),
    set: (text, document) => {
      kept.set(text, document);
    },
  };
}
