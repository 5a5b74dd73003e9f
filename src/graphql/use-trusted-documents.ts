import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The parameter of a request that names a trusted document (GraphQL over HTTP, appendix on persisted documents). */
export const documentIdName = 'documentId';

/** What Apollo's clients send in place of a `documentId`: the document's digest. */
const apolloIdOf = ({ extensions }: GraphQLParams): unknown => {
  const { version, sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as Record<string, unknown>;
  return version === 1 && typeof sha256Hash === 'string' ? `sha256:${sha256Hash}` : undefined;
};

/**
 * Answers requests that name a trusted document in place of sending one. What no document has is answered so that
 * clients send the document itself: nothing of theirs is kept under an id. (Yoga's plugin for persisted operations
 * would also answer requests with neither, before Yoga has looked at them.)
 */
export const useTrustedDocuments = ({ textOf }: TrustedDocuments): Plugin => ({
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
