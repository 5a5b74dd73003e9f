import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Context, ROOT_CONTEXT, type Tracer } from '@opentelemetry/api';
import type { Plugin } from 'graphql-yoga';
import type { Db } from '../../database/db.ts';
import type { Exchange, Middleware, RequestRecord } from '../../http/exchange.ts';
import { createQueryDescriptions } from './describe-query.ts';
import { beginSpan, inSpan } from './in-span.ts';
import { traceRequests } from './trace-requests.ts';
import { TracedDb } from './traced-db.ts';
import { useOperationSpan } from './use-operation-span.ts';

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
