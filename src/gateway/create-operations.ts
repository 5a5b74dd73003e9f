import type { GraphQLSchema } from 'graphql';
import { YogaServer } from 'graphql-yoga';
import { actFor } from '../accounts/acting.ts';
import { useAccessToken, useAccountLimit } from '../auth/caller.ts';
import { useRequiredScopes } from '../auth/required-scopes.ts';
import { createFindServer } from '../auth/servers.ts';
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
  type Step,
  type Surround,
  useExecutor,
  useOperationContext,
  useOperationRecord,
} from '../graphql/run-operation.ts';
import { useDocumentLimits } from '../graphql/use-document-limits.ts';
import { useIntrospection } from '../graphql/use-introspection.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageDocuments } from '../pages/page-files.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { offeredDocuments, offeredOperations } from './offered-operations.ts';

// Why an operation of REST, or of a known document, does without a hook that Yoga runs.
const parametersAreRead = 'its parameters are already read';
const contextDoesIt = 'the plugin does the same when the context is built';
const executionDoesIt = 'the plugin does the same when the operation runs';
const documentIsValid = 'its document was parsed and validated with these hooks, or is our own';
const errorsGoToYoga =
  'the hook reads only errors; those of a known document go through Yoga, and REST has its own';
const tokenIsThere = 'the hook reads only requests without a token, which go through Yoga; REST refuses them';

/** How servers sign in; undefined: none does. A wrong secret counts as a wrong API key does at the reverse proxy. */
const signInsOf = ({ servers = [], edge: { keyGuesses } }: GatewayDependencies) =>
  servers.length === 0
    ? undefined
    : {
        find: createFindServer(servers),
        noteWrong:
          keyGuesses && ((secret: string, exchange: Exchange) => keyGuesses.note(secret, exchange, false)),
      };

/** Makes what runs operations: for Yoga, for REST and for known documents. */
export function createOperations(dependencies: GatewayDependencies, surround: Surround) {
  const { trusted, em, documents, introspection, pages, tracing } = dependencies;
  const { account, verifier } = dependencies.edge.limiters;
  const ownIssuer = dependencies.services.assertions && dependencies.publicUrl;
  const { schema, sofa } = offeredOperations(dependencies.operators);
  const pageTexts = pages ? offeredDocuments(schema, pageDocuments()) : {};
  const ofPages = readPageDocuments(pageTexts);
  const known = createDocumentCache(documentRoom, ofPages.parsed);
  const steps: readonly Step[] = [
    { plugin: useRequestParsers(), onlyYoga: { onRequestParse: parametersAreRead } },
    { plugin: usePageDocuments(ofPages), onlyYoga: { onParams: 'findKnown finds the document itself' } },
    {
      plugin: useAccessToken(trusted, ownIssuer, signInsOf(dependencies), tracing?.tokenCheck),
      onlyYoga: { onYogaInit: 'it runs once, for the same plugin', onRequestParse: contextDoesIt },
    },
    // Before the limit counts the fields of an operation: one that is refused for its scopes counts as one request.
    { plugin: useRequiredScopes(schema), onlyYoga: { onParse: executionDoesIt } },
    ...(account || verifier
      ? [
          {
            plugin: useAccountLimit(account, verifier, (operation, document) =>
              longestAnswer(schema, operation, document),
            ),
            onlyYoga: { onRequestParse: contextDoesIt },
          },
        ]
      : []),
    { plugin: useAuthenticatedErrors(), onlyYoga: { onResultProcess: errorsGoToYoga } },
    {
      plugin: useOperationContext(surround, actFor),
      onlyYoga: { onRequestParse: contextDoesIt },
    },
    { plugin: useInputErrors(), onlyYoga: { onResultProcess: errorsGoToYoga } },
    { plugin: useFailureRecord(), onlyYoga: { onResultProcess: errorsGoToYoga } },
    { plugin: useOperationRecord() },
    {
      plugin: useIntrospection(schema, introspection),
      onlyYoga: { onParse: tokenIsThere, onValidate: documentIsValid, onResultProcess: tokenIsThere },
    },
    {
      plugin: useDocumentLimits(documents),
      onlyYoga: { onParse: documentIsValid, onValidate: documentIsValid },
    },
    { plugin: useExecutor(sofa.compiled) },
    ...(tracing ? [{ plugin: tracing.operations(em) }] : []),
  ];
  /** Runs the operations of REST, and of known documents, through the plugins from `useAccessToken` on. */
  const pipeline = createPipeline(steps);
  const findKnown = createFindKnown(schema, known, ofPages, pipeline);
  /** Yoga with its plugins, for GraphQL. */
  const plugins = steps.map(({ plugin }) => plugin);
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
