import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { GatewayError } from '../errors.ts';
import { toGraphQLError } from './mask-error.ts';

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
