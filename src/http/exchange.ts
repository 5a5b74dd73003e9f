import { hash, randomUUID } from 'node:crypto';
import { canonicalAddress } from '../config/values/addresses.ts';
import type { AccountId } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';

/** The identifiers that all log lines of one request share. */
export interface RequestIds {
  readonly requestId: string;
  /** The id of the request's trace (W3C Trace Context), if the caller named a trace or this service traces. */
  traceId?: string | undefined;
  /** The id of the request's span in that trace, if this service traces. */
  spanId?: string;
}

/** The facts about a request that its single log line will show. */
export interface RequestRecord extends RequestIds {
  /** The request's method, unchanged. */
  readonly method: string;
  /** `performance.now()` at its arrival. */
  readonly startedAt: number;
  /** The path in its published form: a template, never the caller's own text. */
  route?: string;
  /** The root field that runs, or `several`, or `introspection`. */
  operation?: string;
  /**
   * If the request's token is valid: whether the service verified the signature now or remembered it. `server` stands
   * for the secret of a server.
   */
  token?: 'verified' | 'remembered' | 'server';
  /** The name of the server that has signed in with a secret. */
  server?: string;
  /** The server that acts for the account: its name, or whose access token it has. */
  actor?: string;
  /** The account of the member who acts for an organisation, if there is one. */
  memberId?: AccountId;
  /** The caller's account, if the answer names it; of a request about an API key, the key's account. */
  accountId?: AccountId | undefined;
  /** The API key that was verified, if there is such a key. */
  keyId?: number;
  /** Why that key was refused; missing if it was accepted. */
  refusal?: string;
  /** Whether that key was judged by what the database said before, because the database is away. */
  isStale?: boolean;
  /** Whether the Idempotency-Key was used before, so that the caller gets the earlier answer again. */
  isReplayed?: boolean;
  /** The error of a failed request. */
  failure?: GatewayError;
}

/** The rest of a limit after a request, in the form of the header fields `RateLimit-Policy` and `RateLimit`. */
export interface Quota {
  readonly policy: string;
  readonly state: string;
  /**
   * Counts the request as so many as its answer is long, in place of those that were reserved, without refusing it;
   * returns the rest after that. Missing if the limit does not count by the length of answers.
   */
  readonly charge?: (excess: number) => Quota;
  /** Whether the answer may be long, so that also a short one has to be told to `charge`. */
  readonly isOpen?: boolean;
}

/** The header fields of a request, by lower-case name, as Node parses them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** A request as Node parsed it. */
export interface Incoming {
  readonly method: string;
  /** The request target: a path, perhaps with a query string. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** The bytes of the body; undefined if the request has no body, or declares a body above the limit. */
  readonly body?: Uint8Array | undefined;
}

/** The header fields of an answer, by lower-case name. */
export type AnswerHeaders = Record<string, string>;

/** The parts of a long answer. */
export interface Parts {
  /**
   * Makes the next part; undefined: there is none. It is asked for when the client has read the one before.
   * @throws the answer then has no end
   */
  readonly next: () => Promise<string | undefined>;
  /** Called once, after the last part or where the answer is broken off. */
  readonly end: () => Promise<void>;
}

/** An answer as Node writes it. Middleware adds header fields, so each answer needs a `headers` object of its own. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string | Uint8Array;
  /** Whether all clients share the bytes of the body, so that an unread answer takes no memory. */
  readonly isShared?: boolean;
  /** What follows the body. */
  readonly rest?: Parts;
}

/** A request in progress, and the facts about it. */
export interface Exchange extends Omit<Incoming, 'method' | 'url'> {
  /**
   * The method; GET stands for HEAD, because the same handlers answer both and Node leaves out the body (RFC 9110,
   * section 9.3.2).
   */
  readonly method: string;
  /** The path of the request target, unchanged. */
  readonly path: string;
  /** The part of the request target after the first question mark; empty if missing. */
  readonly query: string;
  /** The canonical IP address of the client; null if unknown. */
  address: string | null;
  /** Whether the client reached the proxy without TLS. */
  isPlainHttp: boolean;
  /**
   * The time limit of the request, by `performance.now()`. The request gets its answer by then in any case, and
   * changes nothing afterwards.
   */
  readonly answerBy: number;
  /** The facts for the log and the metrics. */
  readonly record: RequestRecord;
  /** The limits that counted the request, by name; the answer shows them. */
  readonly quotas: Map<string, Quota>;
}

// In version 00, nothing may follow the flags; in a later version, more parts may.
const traceparent =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2}(?=.{53}(?:-|$)))-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/;

/**
 * Reads the trace id from the header field `traceparent` (W3C Trace Context, section 3.2):
 * `00-4bf9…4736-00f0…02b7-01` → `4bf9…4736`.
 * @returns 32 hexadecimal digits; undefined if the header field is missing or not valid
 */
export const parseTraceId = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : traceparent.exec(header)?.[1];

// The longest well-formed id is long enough for a UUID or a trace id, but too short for a token or an API key.
const wellFormed = /^[\w.-]{8,64}$/;

/**
 * Begins the handling of a request. The request's id is its `X-Request-Id` if that is well-formed, otherwise a new
 * UUID.
 * @param address the IP address of the peer; null if unknown
 * @param answerTimeout the time after which the server answers 503, in milliseconds
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
    // The deadline lies a little before the time-out of the connection. So the answer comes from the code that knows
    // whether the request changed anything.
    answerBy: startedAt + 0.9 * answerTimeout,
    record: { requestId, method, startedAt, traceId: parseTraceId(headers['traceparent']) },
    quotas: new Map(),
  };
}

/** The path of GraphQL. */
export const graphqlPath = '/graphql';

const wholeBody = ['body'];

/**
 * The faults of an input in the form of pydantic 2: the place of each fault by its wire names, and its message. Other
 * errors have only a message.
 */
const detailOf = ({ code, message, issues }: GatewayError) =>
  code === 'BAD_USER_INPUT'
    ? issues.map((issue) => ({
        loc: issue.path.length > 0 ? issue.path : wholeBody,
        msg: issue.message,
        type: issue.type,
      }))
    : message;

/**
 * Makes a JSON answer.
 * @param headers further header fields; the answer gets a copy
 */
export const jsonAnswer = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

/**
 * Makes the answer for an error. On the GraphQL path, the answer has GraphQL's form for a request without a readable
 * document; on all other paths it is `{"detail": …}`.
 */
export function answerError({ path }: Pick<Exchange, 'path'>, error: GatewayError): Answer {
  const { message, code, status, headers } = error;
  const body =
    path === graphqlPath ? { errors: [{ message, extensions: { code } }] } : { detail: detailOf(error) };
  return jsonAnswer(body, status, headers);
}

/**
 * The header fields of every answer: browsers must not guess another content type, and other sites must not embed the
 * answer.
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/**
 * The content security policy of an answer that is no page. If a browser takes the answer for a page, the browser
 * loads and runs nothing.
 */
export const dataOnly = "default-src 'none'; frame-ancestors 'none'";

/**
 * Adds header fields to every answer: no cache may store the answer, and browsers get their policies.
 * @param hstsMaxAge the time for which browsers must use TLS (RFC 6797), in seconds; undefined: answers do not say it
 */
export const answerHeaders =
  (hstsMaxAge?: number): Finisher =>
  ({ isPlainHttp, record }, answer) => {
    const { headers } = answer;
    // A handler may set these fields itself: a page brings a policy of its own.
    headers['cache-control'] ??= 'no-store';
    headers['content-security-policy'] ??= dataOnly;
    // So do the elements that pages of other origins load.
    const embedding = headers['cross-origin-resource-policy'];
    Object.assign(headers, securityHeaders);
    if (embedding !== undefined) headers['cross-origin-resource-policy'] = embedding;
    if (record.isReplayed) headers['idempotent-replayed'] = 'true';
    if (hstsMaxAge !== undefined && !isPlainHttp)
      headers['strict-transport-security'] = `max-age=${hstsMaxAge}`;
    return answer;
  };

/** Answers a request. If the handler refuses the request, it throws the reason. */
export type Handler = (exchange: Exchange) => Promise<Answer>;

/** A wrapper around a handler. It acts before, after, or instead of the next handler. */
export type Middleware = (next: Handler) => Handler;

/** Completes an answer: adds header fields, replaces the answer, or records it. */
export type Finisher = (exchange: Exchange, answer: Answer) => Answer;

/** Has all answers completed, in the order of the list. One middleware for all of them costs one wait. */
export const finishing =
  (finishers: readonly Finisher[]): Middleware =>
  (next) =>
  async (exchange) => {
    let answer = await next(exchange);
    for (const finish of finishers) answer = finish(exchange, answer);
    return answer;
  };

/** Wraps a handler in middleware; the first middleware is the outermost. */
export const compose = (around: readonly Middleware[], handler: Handler): Handler =>
  around.reduceRight((next, middleware) => middleware(next), handler);

/**
 * Handlers by path. A path with a slash at its end stands for all paths with this beginning; the longest match wins.
 */
export type Table = readonly (readonly [path: string, handler: Handler])[];

const notFound: Handler = async () => {
  throw new GatewayError('NOT_FOUND', 'Not Found');
};

/**
 * Makes a handler that passes each request to the handler of its path: the exact row, or the longest row that begins
 * the path. Any other path is not found.
 * @param before the middleware before the handlers of some paths, by path
 * @throws {GatewayError} `NOT_FOUND`
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

/**
 * The entity tag of a representation (RFC 9110, section 8.8.3). The tag is strong and depends on the bytes alone, so
 * every node and both databases give the same tag.
 */
export const entityTagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
