import { Request, Response } from '@whatwg-node/fetch';
import type { Middleware } from './exchange.ts';

/** Answers HEAD wherever GET is answered: the same, without the body (RFC 9110, section 9.3.2). */
export const head: Middleware = (next) => async (exchange) => {
  if (exchange.request.method !== 'HEAD') return next(exchange);
  const { url, headers, signal } = exchange.request;
  exchange.request = new Request(url, { method: 'GET', headers, signal });
  const answer = await next(exchange);
  return new Response(null, { status: answer.status, headers: answer.headers });
};
