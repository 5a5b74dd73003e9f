import { randomUUID } from 'node:crypto';
import type { RequestRecord } from './request-record.ts';

/** What is left of a limit after a request, as the fields `RateLimit-Policy` and `RateLimit` say it. */
export interface Quota {
  readonly policy: string;
  readonly state: string;
}

/** A request on its way, and what is known of it. */
export interface Exchange {
  request: Request;
  /** The path of its URL, as it was called. */
  readonly path: string;
  /** The IP address of the client; null where it is not known. */
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

/** Answers a request; what it throws is a reason why it does not. */
export type Handler = (exchange: Exchange) => Promise<Response>;

/** What stands around a handler: it does its part before, after, or instead of what comes next. */
export type Middleware = (next: Handler) => Handler;

/** Puts middleware around a handler, the first outermost. */
export const compose = (around: readonly Middleware[], handler: Handler): Handler =>
  around.reduceRight((next, middleware) => middleware(next), handler);

/** The path of a request's URL, which is absolute and has no fragment. */
const pathOf = (url: string): string => {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', path);
  return url.slice(path, query < 0 ? undefined : query);
};

// Long enough for a UUID or a trace's id, too short for a token or an API key.
const wellFormed = /^[\w.-]{8,64}$/;

/**
 * Begins the way of a request. Its id is its own `X-Request-Id`, where that is well formed.
 * @param address the IP address of the peer; null where it is not known
 * @param answerTimeout after how many milliseconds it is answered 503
 */
export function beginExchange(
  request: Request,
  address: string | null,
  answerTimeout = Number.POSITIVE_INFINITY,
): Exchange {
  const { method, headers, url } = request;
  const given = headers.get('x-request-id') ?? '';
  const requestId = wellFormed.test(given) ? given : randomUUID();
  const startedAt = performance.now();
  return {
    request,
    path: pathOf(url),
    address,
    isPlainHttp: false,
    // A little before: who knows whether something was changed says it, and not the time-out of the connection.
    answerBy: startedAt + 0.9 * answerTimeout,
    record: { requestId, method, startedAt },
    quotas: new Map(),
  };
}
