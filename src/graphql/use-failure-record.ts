import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

/** Notes for the log why a GraphQL request failed. */
export const useFailureRecord = (): Plugin<object, Exchange> => ({
  onResultProcess: ({ result, serverContext: { record } }) => {
    for (const { originalError } of (result as ExecutionResult).errors ?? []) {
      if (originalError instanceof GatewayError) record.failure ??= originalError;
    }
  },
});
