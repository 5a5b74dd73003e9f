import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { translateError } from '../database/failures.ts';
import { GatewayError, unwrap } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

/**
 * Converts a GatewayError to a GraphQL error: message, code, and an HTTP status if the standard allows one.
 * @param at the error whose place in the document the result takes over
 */
export const toGraphQLError = (error: GatewayError, at?: GraphQLError): GraphQLError => {
  const { code, status, headers, issues } = error;
  // An operation that ran and refused is a 200 in plain application/json (GraphQL over HTTP, section 6.4.1).
  const spec = code === 'NOT_FOUND' || code === 'CONFLICT' || code === 'BAD_USER_INPUT';
  return new GraphQLError(error.message, {
    nodes: at?.nodes ?? null,
    source: at?.source ?? null,
    positions: at?.positions ?? null,
    path: at?.path ?? null,
    originalError: error,
    extensions: {
      code,
      ...(issues.length > 0 && { issues }),
      http: { status, headers, spec },
    },
  });
};

/**
 * Turns any error into one that a caller may see. An error that is neither this service's nor GraphQL's becomes an
 * `INTERNAL_SERVER_ERROR` without details.
 */
export function maskError(error: unknown): GraphQLError {
  const inner = unwrap(error);
  if (inner instanceof GraphQLError) return inner;
  return toGraphQLError(translateError(inner), error instanceof GraphQLError ? error : undefined);
}

/**
 * Hides the faults of a request from callers without a token; they only learn that they need one. GraphQL's own
 * messages about a document would name fields of the schema.
 */
export const useAuthenticatedErrors = (): Plugin<object, WithAccessToken> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    const { errors } = result as ExecutionResult;
    if (serverContext.accessToken || !errors) return;
    const isRefusal = errors.every(
      ({ originalError }) => originalError instanceof GatewayError && isAboutTokens(originalError),
    );
    if (!isRefusal) setResult({ errors: [toGraphQLError(notAuthenticated())] });
  },
});

const isAboutTokens = ({ status }: GatewayError): boolean => status === 401 || status === 503;

/** Records the error of a failed GraphQL request for the log. */
export const useFailureRecord = (): Plugin<object, Exchange> => ({
  onResultProcess: ({ result, serverContext: { record } }) => {
    for (const { originalError } of (result as ExecutionResult).errors ?? []) {
      if (originalError instanceof GatewayError) record.failure ??= originalError;
    }
  },
});
