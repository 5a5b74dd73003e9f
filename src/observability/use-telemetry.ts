import { randomUUID } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { RequestSource } from '../http/request-hooks.ts';
import { describeError } from './describe-error.ts';
import type { RequestRecord, WithRecord } from './request-record.ts';
import { parseTraceId } from './trace-id.ts';

// Long enough for a UUID or a trace's id, too short for a token or an API key.
const wellFormed = /^[\w.-]{8,64}$/;

/**
 * Gives each request an id (its own `X-Request-Id` where that is well formed) and one line in the log. Neither tokens,
 * bodies, query strings nor paths as they were called are written.
 */
export function useTelemetry(logger: Logger): Plugin<WithRecord, RequestSource & WithRecord> {
  return {
    onRequest: ({ request, serverContext }) => {
      const given = request.headers.get('x-request-id') ?? '';
      const requestId = wellFormed.test(given) ? given : randomUUID();
      const traceId = parseTraceId(request.headers.get('traceparent'));
      const { address } = serverContext;
      const startedAt = performance.now();
      serverContext.record = { requestId, address, method: request.method, startedAt, traceId };
    },
    onResponse: ({ response, serverContext: { record } }) => {
      response.headers.set('x-request-id', record.requestId);
      if (record.failure && record.failure.status >= 500) logFailure(logger, record);
      if (logger.isLevelEnabled('info')) logger.info(line(response.status, record), 'request');
    },
  };
}

const logFailure = (logger: Logger, { requestId, traceId, spanId, failure }: RequestRecord) =>
  logger.error(
    { requestId, traceId, spanId, reason: failure?.reason, error: describeError(failure?.cause) },
    failure?.message,
  );

const line = (status: number, record: RequestRecord) => ({
  requestId: record.requestId,
  traceId: record.traceId,
  spanId: record.spanId,
  method: record.method,
  route: record.route,
  operation: record.operation,
  status,
  milliseconds: Math.round((performance.now() - record.startedAt) * 100) / 100,
  accountId: record.accountId ?? record.failure?.accountId,
  reason: record.failure?.reason,
});
