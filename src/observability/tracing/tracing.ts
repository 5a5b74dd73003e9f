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
import { reasonOf } from '../log.ts';
import { beginSpan, inSpan, markFailed } from './in-span.ts';
import { createQueryDescriptions, type QueryTracing, TracedDb } from './traced-db.ts';

/**
 * Makes the tracing by OpenTelemetry's conventions. The code passes each parent span on explicitly, with the
 * request's record: no library is patched, and no asynchronous context exists.
 * @param system the database's name in OpenTelemetry's conventions
 */
export function createTracing(tracer: Tracer, system: string) {
  const contexts = new WeakMap<RequestRecord, Context>();
  const contextOf = (record: RequestRecord): Context => contexts.get(record) ?? ROOT_CONTEXT;
  const queries = { tracer, system, describe: createQueryDescriptions(system) };
  return {
    /** Makes a span for each request; all other spans are below it. */
    requests: traceRequests(tracer, contexts),
    /** Makes a span for each operation, with the spans of its queries below it. */
    operations: (em: SqlEntityManager) => useOperationSpan(em, queries, contextOf),
    /** Runs each check of an access token in a span. */
    tokenCheck: (record: RequestRecord, check: () => void | Promise<void>): Promise<void> =>
      inSpan(beginSpan(tracer, 'verify access token', {}, contextOf(record)), async ({ span }) => {
        await check();
        if (record.token) span.setAttribute('keyward.token', record.token);
      }),
    /** The database for queries outside an operation; their spans are below the request's span. */
    db: (em: SqlEntityManager, record: RequestRecord): Db => new TracedDb(em, queries, contextOf(record)),
  };
}

/** The tracing hooks, which the gateway puts into place. */
export type Tracing = ReturnType<typeof createTracing>;

const propagator = new W3CTraceContextPropagator();
const getter: TextMapGetter<RequestHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

/**
 * Makes a server span for each request. If the caller names its own span (W3C Trace Context), the server span is
 * below it. The span has the route's template only: addresses, paths, query strings and header fields come from the
 * caller and may hold secrets.
 * @param contexts keeps, for each request, the context for child spans
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

function endRequest(span: Span, record: RequestRecord, status: number): void {
  const { method, route, operation, failure, accountId = failure?.accountId, keyId } = record;
  if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  if (operation) span.setAttribute('keyward.operation', operation);
  const reason = reasonOf(record);
  if (reason !== undefined) span.setAttribute('keyward.reason', reason);
  if (accountId !== undefined) span.setAttribute('keyward.account_id', accountId);
  if (keyId !== undefined) span.setAttribute('keyward.key_id', keyId);
  span.setAttribute('http.response.status_code', status);
  // A caller's mistake is no failure of this service.
  if (status >= 500) markFailed(span, failure);
  span.end();
}

/**
 * Makes a span for each operation, named after its root field. The spans of its queries are below it.
 * @param contextOf gives the context of a request's span
 */
function useOperationSpan(
  em: SqlEntityManager,
  queries: QueryTracing,
  contextOf: (record: RequestRecord) => Context,
): Plugin<Exchange & { db?: Db }> {
  return {
    onExecute: ({ args: { document, operationName, contextValue }, extendContext }) => {
      const { record } = contextValue;
      const type = getOperationAST(document, operationName)?.operation ?? 'query';
      const options = { attributes: { 'graphql.operation.type': type } };
      const name = `${type} ${record.operation ?? ''}`.trimEnd();
      const { span, context } = beginSpan(queries.tracer, name, options, contextOf(record));
      extendContext({ db: new TracedDb(em, queries, context, contextValue.answerBy) });
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
