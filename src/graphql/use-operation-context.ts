import type { EntityManager } from '@mikro-orm/core';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { createEventLog } from '../observability/events.ts';
import type { WithRecord } from '../observability/request-record.ts';
import type { OperationContext, OperationLimits } from '../operation.ts';

/**
 * Gives each request what operations need: who calls, an entity manager of its own, the log.
 * Runs after the token was verified; a request without one gets nothing, and reaches no operation.
 */
export const useOperationContext = (
  em: EntityManager,
  limits: OperationLimits,
): Plugin<WithAccessToken & WithRecord & Partial<OperationContext>> => ({
  onContextBuilding: ({ context: { accessToken, record }, extendContext }) => {
    if (!accessToken) return;
    const { issuer, subject } = accessToken;
    record.caller = { issuer, subject };
    extendContext({ caller: record.caller, em: em.fork(), events: createEventLog(record.log), limits });
  },
});
