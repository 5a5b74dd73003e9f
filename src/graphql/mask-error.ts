import { GraphQLError } from 'graphql';
import { type GatewayError, unwrap } from '../errors.ts';

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
