import type { GraphQLSchema } from 'graphql';
import { YogaServer } from 'graphql-yoga';
import { useAccessToken, useAccountLimit } from '../auth/caller.ts';
import { useRequiredScopes } from '../auth/required-scopes.ts';
import { useRequestParsers } from '../graphql/answer-graphql.ts';
import { longestAnswer } from '../graphql/document-cost.ts';
import { maskError, useAuthenticatedErrors, useFailureRecord } from '../graphql/graphql-errors.ts';
import { useInputErrors } from '../graphql/input-errors.ts';
import {
  createDocumentCache,
  createFindKnown,
  documentIdName,
  documentRoom,
  readPageDocuments,
  useKnownDocuments,
  usePageDocuments,
} from '../graphql/kept-documents.ts';
import {
  type AnyPlugin,
  createPipeline,
  type Surround,
  useExecutor,
  useOperationContext,
  useOperationRecord,
} from '../graphql/run-operation.ts';
import { useDocumentLimits } from '../graphql/use-document-limits.ts';
import { useIntrospection } from '../graphql/use-introspection.ts';
import { pageDocuments } from '../pages/page-files.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { offeredDocuments, offeredOperations } from './offered-operations.ts';

/** Makes what runs operations: for Yoga, for REST and for known documents. */
export function createOperations(dependencies: GatewayDependencies, surround: Surround) {
  const { trusted, em, documents, introspection, pages, tracing } = dependencies;
  const { account, verifier } = dependencies.edge.limiters;
  const { schema, sofa } = offeredOperations(dependencies.operators);
  const pageTexts = pages ? offeredDocuments(schema, pageDocuments()) : {};
  const ofPages = readPageDocuments(pageTexts);
  const known = createDocumentCache(documentRoom, ofPages.parsed);
  const plugins: readonly AnyPlugin[] = [
    useRequestParsers(),
    usePageDocuments(ofPages),
    useAccessToken(trusted, tracing?.tokenCheck),
    ...(account || verifier
      ? [
          useAccountLimit(account, verifier, (operation, document) =>
            longestAnswer(schema, operation, document),
          ),
        ]
      : []),
    useRequiredScopes(schema),
    useAuthenticatedErrors(),
    useOperationContext(surround),
    useInputErrors(),
    useFailureRecord(),
    useOperationRecord(),
    useIntrospection(introspection),
    useDocumentLimits(documents),
    useExecutor(sofa.compiled),
    ...(tracing ? [tracing.operations(em)] : []),
  ];
  /** Runs the operations of REST, and of known documents, through the plugins from `useAccessToken` on. */
  const pipeline = createPipeline(plugins);
  const findKnown = createFindKnown(schema, known, ofPages, pipeline);
  /** Yoga with its plugins, for GraphQL. */
  const yoga = createYogaServer(schema, [...plugins, useKnownDocuments(known, findKnown)]);
  return { yoga, pipeline, findKnown };
}

/**
 * Makes a Yoga server without the server adapter of `createYoga`, because the table of paths passes requests to it.
 */
const createYogaServer = (schema: GraphQLSchema, plugins: readonly AnyPlugin[]) =>
  new YogaServer({
    schema,
    landingPage: false,
    graphiql: false,
    cors: false,
    multipart: false,
    // `answerGraphql` and `answerRest` limit bodies; Yoga's own limit pipes each body through a transform stream.
    maxRequestBodySize: false,
    // `useKnownDocuments` caches documents, within a limit of bytes.
    parserAndValidationCache: false,
    logging: false,
    extraParamNames: [documentIdName],
    maskedErrors: { maskError, errorMessage: 'Internal Server Error' },
    plugins: [...plugins],
  });
