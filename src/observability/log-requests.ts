import type { Logger } from 'pino';
import type { Middleware, RequestRecord } from '../http/exchange.ts';
import { describeError } from './describe-error.ts';
import { requestMessage } from './logger.ts';

/**
 * Gives each request one line in the log, and its answer the id by which that is found. Neither tokens, bodies, query
 * strings nor paths as they were called are written; who the client is, only by its account, unless asked for.
 * @param logsAddress whether the client's IP address is written too
 */
export const logRequests =
  (logger: Logger, logsAddress: boolean): Middleware =>
  (next) =>
  async (exchange) => {
    const { request, record } = exchange;
    record.traceId = parseTraceId(request.headers.get('traceparent'));
    const response = await next(exchange);
    response.headers.set('x-request-id', record.requestId);
    if (record.failure && record.failure.status >= 500) logFailure(logger, record);
    if (logger.isLevelEnabled('info'))
      logger.info(line(response.status, record, logsAddress ? exchange.address : null), requestMessage);
    return response;
  };

const logFailure = (logger: Logger, { requestId, traceId, spanId, failure }: RequestRecord) =>
  logger.error(
    { requestId, traceId, spanId, reason: failure?.reason, error: describeError(failure?.cause) },
    failure?.message,
  );

const line = (status: number, record: RequestRecord, address: string | null) => ({
  requestId: record.requestId,
  traceId: record.traceId,
  spanId: record.spanId,
  method: record.method,
  route: record.route,
  operation: record.operation,
  status,
  milliseconds: Math.round((performance.now() - record.startedAt) * 100) / 100,
  clientAddress: address ?? undefined,
  replayed: record.isReplayed || undefined,
  accountId: record.accountId ?? record.failure?.accountId,
  reason: record.failure?.reason,
});

// Of version 00 nothing may follow; of a later one more parts may.
const traceparent =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2}(?=.{53}(?:-|$)))-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/;

/**
 * The trace that a caller says its request belongs to, by the header `traceparent` (W3C Trace Context, section 3.2).
 * @returns 32 hexadecimal digits; undefined where the header is not there or not valid
 */
export const parseTraceId = (header: string | null): string | undefined =>
  header === null ? undefined : traceparent.exec(header)?.[1];
