import { randomUUID } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { describeError } from './describe-error.ts';
import type { RequestRecord, WithRecord } from './request-record.ts';

// Long enough for a UUID or a trace's id, too short for a token or an API key.
const wellFormed = /^[\w.-]{8,64}$/;

/**
 * Gives each request an id (its own `X-Request-Id` where that is well formed) and one line in the log. Neither tokens,
 * bodies, query strings nor paths as they were called are written.
 */
export function useTelemetry(logger: Logger): Plugin<WithRecord, WithRecord> {
  return {
    onRequest: ({ request, serverContext }) => {
      const given = request.headers.get('x-request-id') ?? '';
      const requestId = wellFormed.test(given) ? given : randomUUID();
      const log = logger.child({ requestId });
      serverContext.record = { requestId, method: request.method, startedAt: performance.now(), log };
    },
    onResponse: ({ response, serverContext: { record } }) => {
      response.headers.set('x-request-id', record.requestId);
      if (record.failure && record.failure.status >= 500) logFailure(record);
      record.log.info(line(response.status, record), 'request');
    },
  };
}

const logFailure = ({ log, failure }: RequestRecord) =>
  log.error({ reason: failure?.reason, error: describeError(failure?.cause) }, failure?.message);

const line = (status: number, { method, route, operation, caller, failure, startedAt }: RequestRecord) => ({
  method,
  route,
  operation,
  status,
  milliseconds: Math.round((performance.now() - startedAt) * 100) / 100,
  accountId: caller?.accountId,
  reason: failure?.reason,
});
