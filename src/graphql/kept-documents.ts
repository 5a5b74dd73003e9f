import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { WithAccessToken } from '../auth/caller.ts';
import type { Exchange } from '../http/exchange.ts';
import { readBearer } from '../http/read-request.ts';
import { maskError } from './graphql-errors.ts';
import type { Pipeline, WithRun } from './run-operation.ts';

/** The most memory of one process for callers' documents, in bytes. */
export const documentRoom = 16 * 1024 * 1024;

/**
 * Makes a cache of the most recently used documents.
 * @param bytes the most memory of these documents, in bytes
 * @param always documents by text that the cache holds for good, beside the others
 */
export function createDocumentCache(bytes: number, always: ReadonlyMap<string, DocumentNode> = new Map()) {
  const kept = new LRUCache<string, DocumentNode>({ maxSize: bytes, sizeCalculation: sizeOf });
  return {
    get: (text: string) => always.get(text) ?? kept.get(text),
    set: (text: string, document: DocumentNode) => void kept.set(text, document),
  };
}

/** Parsed documents, by text. */
export type DocumentCache = ReturnType<typeof createDocumentCache>;

/** The greatest memory for each token of a document, in bytes: its nodes, and the results of their analysis. */
const tokenSize = 1000;

/** The greatest memory of a parsed document, in bytes. Comments count as tokens. */
function sizeOf(document: DocumentNode, text: string): number {
  let tokens = 0;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + tokens * tokenSize;
}

/**
 * Finds the document of a request.
 * @returns the function that runs it; undefined if it is not known, or if Yoga must refuse the request by its document
 */
export type FindKnown = (
  params: GraphQLParams,
  context: Exchange,
) => (() => Promise<ExecutionResult>) | undefined;

/**
 * Makes the function that runs known documents again, without parsing or validating them. That is safe: parsing and
 * validation depend only on the document, and the execution repeats all checks that depend on the caller. To a request
 * without a token, no document is known: Yoga's hooks bound what such a request may cost and get.
 * @param pages the documents that a request may name instead of sending them
 */
export const createFindKnown =
  (schema: GraphQLSchema, documents: DocumentCache, pages: PageDocuments, pipeline: Pipeline): FindKnown =>
  (params, context) => {
    if (readBearer(context.headers) === undefined) return undefined;
    const { operationName, variables: variableValues } = params;
    const document = documents.get(params.query ?? pages.textOf(idOf(params)) ?? '');
    const operation = document && getOperationAST(document, operationName);
    const kinds = context.method === 'POST' ? ['query', 'mutation'] : ['query'];
    if (!operation || !kinds.includes(operation.operation)) return undefined;
    return async () => {
      await pipeline.enter(context);
      const args = { schema, document, contextValue: context, variableValues, operationName };
      const result = await pipeline.execute(args);
      return result.errors ? { ...result, errors: result.errors.map(maskError) } : result;
    };
  };

/** The context during the validation of a document: the token and the parameters of the request. */
interface Validated extends WithAccessToken {
  readonly params?: { readonly query?: string };
}

/**
 * Caches valid documents, and runs those that are known. Documents of callers without a token stay out of the cache,
 * because they would push out other callers' documents.
 */
export const useKnownDocuments = (
  documents: DocumentCache,
  find: FindKnown,
): Plugin<Validated, Exchange & WithRun> => ({
  onValidate: ({ context, params: { documentAST } }) => {
    const { accessToken, params } = context as Validated;
    const text = accessToken && params?.query;
    return ({ valid }) => {
      if (valid && text) documents.set(text, documentAST);
    };
  },
  onParams: ({ params, context, setParamsHandler }) => {
    const { running } = context;
    const run = running ? () => running : find(params, context);
    if (run) setParamsHandler(run);
  },
});

/**
 * Parses the documents of the pages. The limits apply only to callers' documents, so these may be longer and deeper.
 * @param texts documents by id (`sha256:` and a digest); the build has checked them against the schema
 */
export function readPageDocuments(texts: Readonly<Record<string, string>>) {
  const byId = new Map(Object.entries(texts));
  return {
    /** The text of a document; undefined for what is not the id of one. */
    textOf: (id: unknown) => byId.get(id as string),
    /** The parsed documents, by text. */
    parsed: new Map(Object.values(texts).map((text) => [text, parse(text)])),
  };
}

/** The documents of this service's own pages, which request them by id. The start parses them once. */
export type PageDocuments = ReturnType<typeof readPageDocuments>;

/** The parameter that names a document (GraphQL over HTTP, appendix on persisted documents). */
export const documentIdName = 'documentId';

/** The document id of a request. Apollo's clients send the document's digest, not a `documentId`. */
function idOf(params: GraphQLParams): unknown {
  const { version, sha256Hash } = (params.extensions?.['persistedQuery'] ?? {}) as Record<string, unknown>;
  const isApollos = version === 1 && typeof sha256Hash === 'string';
  return (
    (params as { [documentIdName]?: unknown })[documentIdName] ??
    (isApollos ? `sha256:${sha256Hash}` : undefined)
  );
}

/**
 * Answers requests that name a document of the pages instead of sending one. For an unknown id, the answer tells the
 * client to send the document itself: the service stores no documents of clients by id. (Yoga's plugin for persisted
 * operations would also answer requests with neither, before Yoga checks them.)
 * @throws {GraphQLError} `PERSISTED_QUERY_NOT_FOUND`
 */
export const usePageDocuments = ({ textOf }: PageDocuments): Plugin => ({
  onParams: ({ params, setParams }) => {
    if (params.query !== undefined && params.query !== null) return;
    const id = idOf(params);
    if (typeof id !== 'string') return;
    const query = textOf(id);
    if (query === undefined)
      throw new GraphQLError('PersistedQueryNotFound', {
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    setParams({ ...params, query });
  },
});
