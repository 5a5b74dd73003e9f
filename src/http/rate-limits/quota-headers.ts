import type { Middleware } from '../exchange.ts';

/**
 * Tells a client its limits and what is left of them, on every answer that was counted
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const quotaHeaders: Middleware = (next) => async (exchange) => {
  const response = await next(exchange);
  const quotas = [...exchange.quotas.values()];
  if (quotas.length === 0) return response;
  response.headers.set('ratelimit-policy', quotas.map(({ policy }) => policy).join(', '));
  response.headers.set('ratelimit', quotas.map(({ state }) => state).join(', '));
  return response;
};
