import { type DocumentNode, GraphQLError, getOperationAST, parse } from 'graphql';
import type { GraphQLParams, Plugin, YogaServerInstance } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { WithAccessToken } from '../auth/caller.ts';

/** Parsed documents by their text. */
export interface DocumentCache {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

/** The most memory of one process for documents of callers, in bytes. */
export const documentRoom = 16 * 1024 * 1024;

/**
 * Keeps the documents that were used last.
 * @param bytes the most memory that they may take up
 * @param always documents by their texts that are kept for good, beside the others
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

/** What is kept of a token at most, in bytes: its nodes, and what was found out about them. */
const tokenSize = 1000;

/** How much memory a parsed document takes up at most, in bytes. Comments are tokens here. */
function sizeOf(document: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + tokens * tokenSize;
}

/** What the context holds when a document is validated: what the request brought. */
interface Validated extends WithAccessToken {
  readonly params?: { readonly query?: string };
}

/**
 * Keeps valid documents, and runs them again without parsing or validating them. That is safe: parsing and validation
 * depend on the document alone, and whatever depends on the caller is checked again at execution. Documents of callers
 * without a token are not kept, since they would push out those that others use.
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
      // Yoga refuses the others, by their documents.
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

/** The documents of the pages of this service, which ask for them by their ids; read once. */
export interface PageDocuments {
  /** The text of a document; undefined where no document has the id. */
  textOf(id: string): string | undefined;
  /** The documents by their texts. */
  readonly parsed: ReadonlyMap<string, DocumentNode>;
}

/**
 * Reads the documents of the pages. The limits are for what callers send: these may be as long and as deep as they are.
 * @param texts documents by their ids, `sha256:` and a digest: the build has checked them against the schema
 */
export function readPageDocuments(texts: Readonly<Record<string, string>>): PageDocuments {
  const byId = new Map(Object.entries(texts));
  return {
    textOf: (id) => byId.get(id),
    parsed: new Map(Object.values(texts).map((text) => [text, parse(text)])),
  };
}

/** The parameter of a request that names a document (GraphQL over HTTP, appendix on persisted documents). */
export const documentIdName = 'documentId';

/** What Apollo's clients send in place of a `documentId`: the document's digest. */
const apolloIdOf = ({ extensions }: GraphQLParams): unknown => {
  const { version, sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as Record<string, unknown>;
  return version === 1 && typeof sha256Hash === 'string' ? `sha256:${sha256Hash}` : undefined;
};

/**
 * Answers requests that name a document of the pages in place of sending one. To an id that no document has, it answers
 * so that clients send the document itself: nothing of theirs is kept under an id. (Yoga's plugin for persisted operations
 * would also answer requests with neither, before Yoga has looked at them.)
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
