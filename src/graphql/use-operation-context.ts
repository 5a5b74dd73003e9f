import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import type { Db } from '../database/db.ts';
import { createEventLog } from '../observability/events.ts';
import type { WithRecord } from '../observability/request-record.ts';
import type { OperationContext, OperationLimits } from '../operation.ts';

/**
 * Gives each request what operations need: who calls, the database, the log.
 * Runs after the token was verified; a request without one gets nothing, and reaches no operation.
 */
export const useOperationContext = (
  db: Db,
  limits: OperationLimits,
  logger: Logger,
): Plugin<WithAccessToken & WithRecord & Partial<OperationContext>> => ({
  onContextBuilding: ({ context: { accessToken, record }, extendContext }) => {
    if (!accessToken) return;
    const { issuer, subject } = accessToken;
    record.caller = { issuer, subject };
    extendContext({ caller: record.caller, db, events: createEventLog(logger, record.requestId), limits });
  },
});
