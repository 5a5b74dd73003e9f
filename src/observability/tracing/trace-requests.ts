import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Middleware, RequestRecord } from '../../http/exchange.ts';
import { beginSpan, markFailed } from './in-span.ts';

const propagator = new W3CTraceContextPropagator();
const getter: TextMapGetter<Headers> = {
  keys: (headers) => [...headers.keys()],
  get: (headers, name) => headers.get(name) ?? undefined,
};

/**
 * A server span for each request, below the caller's own where it names one (W3C Trace Context). It says the route's
 * template: addresses, paths, query strings and headers are a caller's own words, and may hold what is secret.
 * @param contexts where what belongs below the span of a request is noted
 */
export const traceRequests =
  (tracer: Tracer, contexts: WeakMap<RequestRecord, Context>): Middleware =>
  (next) =>
  async (exchange) => {
    const { request, record } = exchange;
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, getter);
    const attributes = { 'http.request.method': record.method, 'url.scheme': 'http' };
    const options = { kind: SpanKind.SERVER, attributes };
    const { span, context } = beginSpan(tracer, record.method, options, parent);
    const { traceId, spanId } = span.spanContext();
    record.traceId = traceId;
    record.spanId = spanId;
    contexts.set(record, context);
    const response = await next(exchange);
    endRequest(span, record, response.status);
    return response;
  };

function endRequest(span: Span, { method, route, operation, failure }: RequestRecord, status: number): void {
  if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  if (operation) span.setAttribute('keyward.operation', operation);
  if (failure?.reason) span.setAttribute('keyward.reason', failure.reason);
  span.setAttribute('http.response.status_code', status);
  // What a caller did wrong is no failure of this service.
  if (status >= 500) markFailed(span, failure);
  span.end();
}
