import { Request, Response } from '@whatwg-node/fetch';
import type { GatewayError } from '../errors.ts';
import type { Exchange, Middleware } from './exchange.ts';

/** The one path of GraphQL. */
export const graphqlPath = '/graphql';

const wholeBody = ['body'];

/** The faults of an input, in pydantic 2's words: where each is, by its wire names, and what it is. */
const detailOf = ({ code, message, issues }: GatewayError) =>
  code === 'BAD_USER_INPUT'
    ? issues.map((issue) => ({
        loc: issue.path.length > 0 ? issue.path : wholeBody,
        msg: issue.message,
        type: issue.type,
      }))
    : message;

/** An error as an answer: as GraphQL answers it where no document was read, on its path, and `{"detail": …}` elsewhere. */
export function answerError({ path }: Pick<Exchange, 'path'>, error: GatewayError): Response {
  const { message, code, status, headers } = error;
  const body =
    path === graphqlPath ? { errors: [{ message, extensions: { code } }] } : { detail: detailOf(error) };
  return Response.json(body, { status, headers });
}

/**
 * Turns what a handler throws into an answer, and notes it.
 * @param translate turns any error into a GatewayError
 */
export const answerErrors =
  (translate: (error: unknown) => GatewayError): Middleware =>
  (next) =>
  async (exchange) => {
    try {
      return await next(exchange);
    } catch (error) {
      exchange.record.failure = translate(error);
      return answerError(exchange, exchange.record.failure);
    }
  };

/** What every answer says of itself: it is of the type that it says, and no page of another site may show it. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** What an answer says that is no page: nothing in it is to be loaded or run, should a browser take it for one. */
export const dataOnly = "default-src 'none'; frame-ancestors 'none'";

const constant = Object.entries(securityHeaders);

/** What an answer says of itself unless its handler has said otherwise: a page brings a policy of its own. */
const usual = [
  ['cache-control', 'no-store'],
  ['content-security-policy', dataOnly],
] as const;

/**
 * What every answer says: that it belongs to nobody's cache, and what a browser may do with it.
 * @param hstsMaxAge for how many seconds browsers are to come by TLS alone (RFC 6797); undefined: nothing is said of it
 */
export const answerHeaders =
  (hstsMaxAge?: number): Middleware =>
  (next) =>
  async (exchange) => {
    const response = await next(exchange);
    complete(response.headers);
    if (exchange.record.isReplayed) response.headers.set('idempotent-replayed', 'true');
    if (hstsMaxAge !== undefined && !exchange.isPlainHttp)
      response.headers.set('strict-transport-security', `max-age=${hstsMaxAge}`);
    return response;
  };

function complete(headers: Headers): void {
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value);
  for (const [name, value] of constant) headers.set(name, value);
}

/** Answers HEAD wherever GET is answered: the same, without the body (RFC 9110, section 9.3.2). */
export const head: Middleware = (next) => async (exchange) => {
  if (exchange.request.method !== 'HEAD') return next(exchange);
  const { url, headers, signal } = exchange.request;
  exchange.request = new Request(url, { method: 'GET', headers, signal });
  const answer = await next(exchange);
  return new Response(null, { status: answer.status, headers: answer.headers });
};
