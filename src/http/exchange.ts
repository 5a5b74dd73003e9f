import { randomUUID } from 'node:crypto';
import { canonicalAddress } from '../config/addresses.ts';
import type { AccountId } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';

/** By what the lines of one request are found. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that it belongs to (W3C Trace Context), where the caller named one or this service traces. */
  traceId?: string | undefined;
  /** Its own span in that trace, where this service traces. */
  spanId?: string;
}

/** What is noted of a request while it runs, for its one line in the log. */
export interface RequestRecord extends RequestIds {
  /** As it came. */
  readonly method: string;
  /** `performance.now()` at its arrival. */
  readonly startedAt: number;
  /** The path as it is published: a template, never a caller's own words. */
  route?: string;
  /** The root field that runs; `several`, `introspection`. */
  operation?: string;
  /** Of a request whose token is good: whether its signature was verified now or before. */
  token?: 'verified' | 'remembered';
  /** The caller's account, where what was answered names it. */
  accountId?: AccountId | undefined;
  /** Whether its Idempotency-Key was used before, and its answer is the one of then. */
  isReplayed?: boolean;
  /** Why it failed, if it did. */
  failure?: GatewayError;
}

/** What is left of a limit after a request, as the fields `RateLimit-Policy` and `RateLimit` say it. */
export interface Quota {
  readonly policy: string;
  readonly state: string;
}

/** The header fields of a request by their names in lower case, as Node reads them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** A request as Node has read it. */
export interface Incoming {
  readonly method: string;
  /** Its target: a path, and maybe a query string. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** The bytes of its body; undefined where it has none, or one that it declares to be too long. */
  readonly body?: Uint8Array | undefined;
}

/** The header fields of an answer by their names in lower case. */
export type AnswerHeaders = Record<string, string>;

/** An answer as Node writes it. Middleware adds to its headers, so each answer has an object of its own for them. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string | Uint8Array;
  /** Whether the bytes of the body are the same for everyone: who has not read them yet takes up no memory. */
  readonly isShared?: boolean;
}

/** A request on its way, and what is known of it. */
export interface Exchange extends Omit<Incoming, 'method' | 'url'> {
  /** HEAD is answered as GET is, wherever that is: Node leaves out the body (RFC 9110, section 9.3.2). */
  readonly method: string;
  /** The path of its target, as it was called. */
  readonly path: string;
  /** What follows the first question mark of its target; empty where nothing does. */
  readonly query: string;
  /** The IP address of the client in its canonical spelling; null where it is not known. */
  address: string | null;
  /** The client came to the proxy without TLS. */
  isPlainHttp: boolean;
  /** `performance.now()` by which it is answered, whatever hangs: nothing is changed for it after. */
  readonly answerBy: number;
  /** What is noted of it for the log and for metrics. */
  readonly record: RequestRecord;
  /** The limits that it was counted at, by their names, for its answer. */
  readonly quotas: Map<string, Quota>;
}

// Long enough for a UUID or a trace's id, too short for a token or an API key.
const wellFormed = /^[\w.-]{8,64}$/;

/**
 * Begins the way of a request. Its id is its own `X-Request-Id`, where that is well formed.
 * @param address the IP address of the peer; null where it is not known
 * @param answerTimeout after how many milliseconds it is answered 503
 */
export function beginExchange(
  { method, url, headers, body }: Incoming,
  address: string | null,
  answerTimeout = Number.POSITIVE_INFINITY,
): Exchange {
  const given = headers['x-request-id'] ?? '';
  const requestId = wellFormed.test(given) ? given : randomUUID();
  const startedAt = performance.now();
  const mark = url.indexOf('?');
  return {
    method: method === 'HEAD' ? 'GET' : method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers,
    body,
    address: address === null ? null : canonicalAddress(address),
    isPlainHttp: false,
    // A little before: who knows whether something was changed says it, and not the time-out of the connection.
    answerBy: startedAt + 0.9 * answerTimeout,
    record: { requestId, method, startedAt },
    quotas: new Map(),
  };
}

/** Answers a request; what it throws is a reason why it does not. */
export type Handler = (exchange: Exchange) => Promise<Answer>;

/** What stands around a handler: it does its part before, after, or instead of what comes next. */
export type Middleware = (next: Handler) => Handler;

/** Puts middleware around a handler, the first outermost. */
export const compose = (around: readonly Middleware[], handler: Handler): Handler =>
  around.reduceRight((next, middleware) => middleware(next), handler);

/** Handlers by path; a path that ends with a slash stands for all that begin with it, the longest first. */
export type Table = readonly (readonly [path: string, handler: Handler])[];

const notFound: Handler = async () => {
  throw new GatewayError('NOT_FOUND', 'Not Found');
};

/**
 * Finds the handler of a path: its own, or that of the longest row that it begins with; any other path is not found.
 * @param before what stands before the handlers of some paths, by path
 */
export function route(table: Table, before: ReadonlyMap<string, Middleware> = new Map()): Handler {
  const find = findHandler(table);
  const all = findHandler([
    ...[...before].map(([path, middleware]) => [path, middleware(find(path))] as const),
    ...table,
  ]);
  return (exchange) => all(exchange.path)(exchange);
}

function findHandler(table: Table): (path: string) => Handler {
  const exact = new Map(table.toReversed());
  const beginnings = table.filter(([path]) => path.endsWith('/')).toSorted(([a], [b]) => b.length - a.length);
  return (path) =>
    exact.get(path) ?? beginnings.find(([beginning]) => path.startsWith(beginning))?.[1] ?? notFound;
}
