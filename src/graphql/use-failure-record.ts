import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../errors.ts';
import type { WithRecord } from '../observability/request-record.ts';

/** Notes for the log why a GraphQL request failed. */
export const useFailureRecord = (): Plugin<WithRecord, WithRecord> => ({
  onResultProcess: ({ result, serverContext: { record } }) => {
    for (const { originalError } of (result as ExecutionResult).errors ?? []) {
      if (originalError instanceof GatewayError) record.failure ??= originalError;
    }
  },
});
