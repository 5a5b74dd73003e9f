import { Request, Response } from '@whatwg-node/fetch';
import type { Middleware } from './exchange.ts';
import { dataOnly, securityHeaders } from './security-headers.ts';

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
