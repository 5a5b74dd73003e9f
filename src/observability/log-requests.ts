import type { Logger } from 'pino';
import type { Middleware } from '../http/exchange.ts';
import type { RequestRecord } from '../http/request-record.ts';
import { describeError } from './describe-error.ts';
import { parseTraceId } from './trace-id.ts';

/**
 * Gives each request one line in the log, and its answer the id by which that is found. Neither tokens, bodies, query
 * strings nor paths as they were called are written.
 */
export const logRequests =
  (logger: Logger): Middleware =>
  (next) =>
  async (exchange) => {
    const { request, record } = exchange;
    record.traceId = parseTraceId(request.headers.get('traceparent'));
    const response = await next(exchange);
    response.headers.set('x-request-id', record.requestId);
    if (record.failure && record.failure.status >= 500) logFailure(logger, record);
    if (logger.isLevelEnabled('info')) logger.info(line(response.status, record), 'request');
    return response;
  };

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
  replayed: record.isReplayed || undefined,
  accountId: record.accountId ?? record.failure?.accountId,
  reason: record.failure?.reason,
});
