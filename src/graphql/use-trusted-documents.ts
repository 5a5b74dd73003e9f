import {
  defaultExtractPersistedOperationId,
  usePersistedOperations,
} from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The parameter of a request that names a trusted document (GraphQL over HTTP, appendix on persisted documents). */
export const documentIdName = 'documentId';

/** What a request asks for by: a `documentId`, or the digest that Apollo's clients send in its place. */
const idOf = (params: GraphQLParams & { [documentIdName]?: unknown }): string | null => {
  if (typeof params[documentIdName] === 'string') return params[documentIdName];
  const hash = defaultExtractPersistedOperationId(params, undefined as never, {});
  return hash === null ? null : `sha256:${hash}`;
};

/**
 * Answers requests that name a trusted document in place of sending one. What no document has is answered so that
 * clients send the document itself: nothing of theirs is kept under an id.
 */
export const useTrustedDocuments = ({ textOf }: TrustedDocuments): Plugin =>
  usePersistedOperations({
    allowArbitraryOperations: true,
    extractPersistedOperationId: idOf,
    getPersistedOperation: (id) => textOf(id) ?? null,
    customErrors: {
      notFound: {
        message: 'PersistedQueryNotFound',
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      },
      keyNotFound: () =>
        new GraphQLError('Must provide query string.', {
          extensions: {
            code: 'BAD_REQUEST',
            http: { spec: true, status: 400, headers: { Allow: 'GET, POST' } },
          },
        }),
    },
  });
