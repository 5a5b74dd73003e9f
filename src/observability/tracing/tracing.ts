import type { SqlEntityManager } from '@mikro-orm/sql';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Db } from '../../database/db.ts';
import type { Exchange, Middleware, RequestHeaders, RequestRecord } from '../../http/exchange.ts';
import { beginSpan, inSpan, markFailed } from './in-span.ts';
import { createQueryDescriptions, TracedDb } from './traced-db.ts';

/** How requests are traced, for the gateway to put in its places. */
export interface Tracing {
  /** A span for each request; all others are below it. */
  readonly requests: Middleware;
  /** A span for each check of an access token. */
  readonly tokenCheck: (record: RequestRecord, check: () => void | Promise<void>) => void | Promise<void>;
  /** A span for each operation, below which are those of its queries. */
  operations(em: SqlEntityManager): Plugin<Exchange>;
  /** The database for what a request asks outside of an operation. */
  db(em: SqlEntityManager, record: RequestRecord): Db;
}

/**
 * Spans by OpenTelemetry's conventions. What is below what goes from hand to hand, with the request's record: nothing
 * is patched, and nothing is kept in an asynchronous context.
 * @param system the database, in OpenTelemetry's words
 */
export function createTracing(tracer: Tracer, system: string): Tracing {
  const contexts = new WeakMap<RequestRecord, Context>();
  const contextOf = (record: RequestRecord): Context => contexts.get(record) ?? ROOT_CONTEXT;
  const queries = { tracer, system, describe: createQueryDescriptions(system) };
  return {
    requests: traceRequests(tracer, contexts),
    operations: (em) =>
      useOperationSpan(
        tracer,
        contextOf,
        (context, { answerBy }) => new TracedDb(em, queries, context, answerBy),
      ),
    tokenCheck: (record, check) =>
      inSpan(beginSpan(tracer, 'verify access token', {}, contextOf(record)), async ({ span }) => {
        await check();
        if (record.token) span.setAttribute('keyward.token', record.token);
      }),
    db: (em, record) => new TracedDb(em, queries, contextOf(record)),
  };
}

const propagator = new W3CTraceContextPropagator();
const getter: TextMapGetter<RequestHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

/**
 * A server span for each request, below the caller's own where it names one (W3C Trace Context). It says the route's
 * template: addresses, paths, query strings and headers are a caller's own words, and may hold what is secret.
 * @param contexts where what belongs below the span of a request is noted
 */
const traceRequests =
  (tracer: Tracer, contexts: WeakMap<RequestRecord, Context>): Middleware =>
  (next) =>
  async (exchange) => {
    const { headers, record } = exchange;
    const parent = propagator.extract(ROOT_CONTEXT, headers, getter);
    const attributes = { 'http.request.method': record.method, 'url.scheme': 'http' };
    const options = { kind: SpanKind.SERVER, attributes };
    const { span, context } = beginSpan(tracer, record.method, options, parent);
    const { traceId, spanId } = span.spanContext();
    record.traceId = traceId;
    record.spanId = spanId;
    contexts.set(record, context);
    const answer = await next(exchange);
    endRequest(span, record, answer.status);
    return answer;
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

/**
 * A span for each operation that is executed, named by its root field.
 * @param contextOf what belongs below the span of a request
 * @param createDb a database whose queries belong below a span
 */
function useOperationSpan(
  tracer: Tracer,
  contextOf: (record: RequestRecord) => Context,
  createDb: (context: Context, exchange: Exchange) => Db,
): Plugin<Exchange & { db?: Db }> {
  return {
    onExecute: ({ args: { document, operationName, contextValue }, extendContext }) => {
      const { record } = contextValue;
      const type = getOperationAST(document, operationName)?.operation ?? 'query';
      const options = { attributes: { 'graphql.operation.type': type } };
      const name = `${type} ${record.operation ?? ''}`.trimEnd();
      const { span, context } = beginSpan(tracer, name, options, contextOf(record));
      extendContext({ db: createDb(context, contextValue) });
      return {
        onExecuteDone: ({ result }) => {
          const [error] = (result as ExecutionResult).errors ?? [];
          if (error) markFailed(span, error.originalError ?? error);
          span.end();
        },
      };
    },
  };
}
