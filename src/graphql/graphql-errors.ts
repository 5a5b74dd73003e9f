import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { GatewayError, unwrap } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

/** How a GatewayError reads in GraphQL: its message, its code, and an HTTP status where that is allowed. */
export const toGraphQLError = (error: GatewayError, at?: GraphQLError): GraphQLError => {
  const { code, status, headers, issues } = error;
  // An operation that ran and said no is a 200 in plain application/json (GraphQL over HTTP, section 6.4.1).
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
 * Yoga's way to mask errors, with this service's own: what is not ours and not GraphQL's becomes an
 * `INTERNAL_SERVER_ERROR` that says nothing more.
 * @param translate turns any error into a GatewayError
 */
export const createMaskError =
  (translate: (error: unknown) => GatewayError) =>
  (error: unknown): GraphQLError => {
    const inner = unwrap(error);
    if (inner instanceof GraphQLError) return inner;
    return toGraphQLError(translate(inner), error instanceof GraphQLError ? error : undefined);
  };

/**
 * Hides what is wrong with a request from callers without a token: they are told that they need one. GraphQL's own
 * messages about a document name the fields of the schema.
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

/** Notes for the log why a GraphQL request failed. */
export const useFailureRecord = (): Plugin<object, Exchange> => ({
  onResultProcess: ({ result, serverContext: { record } }) => {
    for (const { originalError } of (result as ExecutionResult).errors ?? []) {
      if (originalError instanceof GatewayError) record.failure ??= originalError;
    }
  },
});
