import { type DocumentNode, GraphQLError, getOperationAST, parse } from 'graphql';
import type { GraphQLParams, Plugin, YogaServerInstance } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { WithAccessToken } from '../auth/caller.ts';

/** Parsed documents, by text. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** The most memory of one process for callers' documents, in bytes. */
export const documentRoom = 16 * 1024 * 1024;

/**
 * Makes a cache of the most recently used documents.
 * @param bytes the most memory of these documents, in bytes
 * @param always documents by text that the cache holds for good, beside the others
 */
export function createDocumentCache(
  bytes: number,
  always: ReadonlyMap<string, DocumentNode> = new Map(),
): DocumentCache {
  const kept = new LRUCache<string, DocumentNode>({ maxSize: bytes, sizeCalculation: sizeOf });
  return {
    get: (text) => always.get(text) ?? kept.get(text),
    set: (text, document) => {
      kept.set(text, document);
    },
  };
}

/** The greatest memory for each token of a document, in bytes: its nodes, and the results of their analysis. */
const tokenSize = 1000;

/** The greatest memory of a parsed document, in bytes. Comments count as tokens. */
function sizeOf(document: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + tokens * tokenSize;
}

/** The context during the validation of a document: the token and the parameters of the request. */
interface Validated extends WithAccessToken {
  readonly params?: { readonly query?: string };
}

/**
 * Caches valid documents, and runs them again without parsing or validating them. That is safe: parsing and
 * validation depend only on the document, and the execution repeats all checks that depend on the caller. Documents
 * of callers without a token stay out of the cache, because they would push out other callers' documents.
 */
export function useKnownDocuments(documents: DocumentCache): Plugin<Validated> {
  let pipeline: Pick<YogaServerInstance<object, object>, 'getEnveloped'>;
  return {
    onYogaInit: ({ yoga }) => {
      pipeline = yoga;
    },
    onValidate: ({ context, params: { documentAST } }) => {
      const { accessToken, params } = context as Validated;
      const text = accessToken && params?.query;
      return ({ valid }) => {
        if (valid && text) documents.set(text, documentAST);
      };
    },
    onParams: ({ request, params: { query = '', operationName }, setParamsHandler }) => {
      const document = documents.get(query);
      const operation = document && getOperationAST(document, operationName);
      // Yoga itself refuses the other requests, by their documents.
      if (!operation || (request.method !== 'POST' && operation.operation !== 'query')) return;
      setParamsHandler(async ({ request, params, context }) => {
        const { schema, contextFactory, execute } = pipeline.getEnveloped(
          Object.assign(context, { request, params }),
        );
        const contextValue = await contextFactory();
        const { variables: variableValues, operationName } = params;
        return execute({ schema, document, contextValue, variableValues, operationName });
      });
    },
  };
}

/** The documents of this service's own pages, which request them by id. The start parses them once. */
export interface PageDocuments {
  /** The text of a document; undefined for an unknown id. */
  textOf(id: string): string | undefined;
  /** The parsed documents, by text. */
  readonly parsed: ReadonlyMap<string, DocumentNode>;
}

/**
 * Parses the documents of the pages. The limits apply only to callers' documents, so these may be longer and deeper.
 * @param texts documents by id (`sha256:` and a digest); the build has checked them against the schema
 */
export function readPageDocuments(texts: Readonly<Record<string, string>>): PageDocuments {
  const byId = new Map(Object.entries(texts));
  return {
    textOf: (id) => byId.get(id),
    parsed: new Map(Object.values(texts).map((text) => [text, parse(text)])),
  };
}

/** The parameter that names a document (GraphQL over HTTP, appendix on persisted documents). */
export const documentIdName = 'documentId';

/** The document id of a request from Apollo's clients: they send the document's digest, not a `documentId`. */
const apolloIdOf = ({ extensions }: GraphQLParams): unknown => {
  const { version, sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as Record<string, unknown>;
  return version === 1 && typeof sha256Hash === 'string' ? `sha256:${sha256Hash}` : undefined;
};

/**
 * Answers requests that name a document of the pages instead of sending one. For an unknown id, the answer tells the
 * client to send the document itself: the service stores no documents of clients by id. (Yoga's plugin for persisted
 * operations would also answer requests with neither, before Yoga checks them.)
 * @throws {GraphQLError} `PERSISTED_QUERY_NOT_FOUND`
 */
export const usePageDocuments = ({ textOf }: PageDocuments): Plugin => ({
  onParams: ({ params, setParams }) => {
    if (params.query !== undefined && params.query !== null) return;
    const id = (params as { [documentIdName]?: unknown })[documentIdName] ?? apolloIdOf(params);
    if (typeof id !== 'string') return;
    const query = textOf(id);
    if (query === undefined)
      throw new GraphQLError('PersistedQueryNotFound', {
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    setParams({ ...params, query });
  },
});
