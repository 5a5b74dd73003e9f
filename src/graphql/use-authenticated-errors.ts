import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { notAuthenticated } from '../auth/challenge.ts';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { GatewayError } from '../errors.ts';
import { toGraphQLError } from './mask-error.ts';

/**
 * Tells what is wrong with a request only to a caller with a token: to any other all that can be wrong is that there is
 * none. What GraphQL says of a document names the fields of the schema.
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
