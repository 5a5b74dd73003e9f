import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { createEventLog } from '../observability/events.ts';
import type { WithRecord } from '../observability/request-record.ts';
import type { OperationContext } from '../operation.ts';

/** What operations need that is the same for all requests. */
export type OperationServices = Pick<OperationContext, 'db' | 'keyUsage' | 'limits' | 'secrets'>;

/**
 * Gives each request what operations need: who calls, the database, the log.
 * Runs after the token was verified; a request without one gets nothing, and reaches no operation.
 */
export const useOperationContext = (
  services: OperationServices,
  logger: Logger,
): Plugin<WithAccessToken & WithRecord & Partial<OperationContext>> => ({
  onContextBuilding: ({ context: { accessToken, record }, extendContext }) => {
    if (!accessToken) return;
    const { issuer, subject } = accessToken;
    extendContext({
      ...services,
      caller: { issuer, subject },
      requestSource: { id: record.requestId, address: record.address },
      events: createEventLog(logger, record),
    });
  },
});
