import type { SqlEntityManager } from '@mikro-orm/sql';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import { useAccessToken, useAccountLimit } from '../auth/caller.ts';
import { useRequiredScopes } from '../auth/required-scopes.ts';
import type { TrustedIssuer } from '../auth/trusted-issuer.ts';
import { useRequestParsers } from '../graphql/answer-graphql.ts';
import { longestAnswer } from '../graphql/document-cost.ts';
import { useAuthenticatedErrors, useFailureRecord } from '../graphql/graphql-errors.ts';
import { useInputErrors } from '../graphql/input-errors.ts';
import {
  createDocumentCache,
  createFindKnown,
  documentRoom,
  type FindKnown,
  readPageDocuments,
  useKnownDocuments,
  usePageDocuments,
} from '../graphql/kept-documents.ts';
import {
  type AnyPlugin,
  type CompiledDocuments,
  createPipeline,
  type Pipeline,
  type Surround,
  useExecutor,
  useOperationContext,
  useOperationRecord,
} from '../graphql/run-operation.ts';
import { type DocumentLimits, useDocumentLimits } from '../graphql/use-document-limits.ts';
import { useIntrospection } from '../graphql/use-introspection.ts';
import type { Limiters } from '../http/rate-limits/limiter.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';

/** The dependencies of the operations' plugins. */
export interface PluginDependencies {
  readonly schema: GraphQLSchema;
  readonly trusted: readonly TrustedIssuer[];
  readonly em: SqlEntityManager;
  readonly surround: Surround;
  readonly limiters: Limiters;
  readonly documents: DocumentLimits;
  /** The documents of the pages, by id. */
  readonly pageDocuments: Readonly<Record<string, string>>;
  readonly introspection: boolean;
  readonly compiled: CompiledDocuments;
  readonly tracing: Tracing | undefined;
  /** Turns any error into one that a caller may see. */
  readonly maskError: (error: unknown) => GraphQLError;
}

/** What runs operations. */
export interface Operations {
  /** Yoga's plugins, in the order in which an operation meets them. */
  readonly plugins: readonly AnyPlugin[];
  /** Runs the operations of REST, and of known documents, through the plugins from `useAccessToken` on. */
  readonly pipeline: Pipeline;
  readonly findKnown: FindKnown;
}

/** Makes what runs operations: for Yoga, for REST and for known documents. */
export function createOperations(dependencies: PluginDependencies): Operations {
  const { schema, trusted, em, surround, limiters, documents, introspection, compiled } = dependencies;
  const { pageDocuments, tracing, maskError } = dependencies;
  const ofPages = readPageDocuments(pageDocuments);
  const known = createDocumentCache(documentRoom, ofPages.parsed);
  const plugins: readonly AnyPlugin[] = [
    useRequestParsers(),
    usePageDocuments(ofPages),
    useAccessToken(trusted, tracing?.tokenCheck),
    ...(limiters.account || limiters.verifier
      ? [
          useAccountLimit(limiters.account, limiters.verifier, (operation, document) =>
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
    useExecutor(compiled),
    ...(tracing ? [tracing.operations(em)] : []),
  ];
  const pipeline = createPipeline(plugins);
  const findKnown = createFindKnown(schema, known, ofPages, pipeline, maskError);
  return { plugins: [...plugins, useKnownDocuments(known, findKnown)], pipeline, findKnown };
}
