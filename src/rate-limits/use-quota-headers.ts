import type { Plugin } from 'graphql-yoga';
import type { WithQuotas } from './limiter.ts';

/**
 * Tells a client its limits and what is left of them, on every answer that was counted
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const useQuotaHeaders = (): Plugin<WithQuotas, WithQuotas> => ({
  onRequest: ({ serverContext }) => {
    serverContext.quotas = [];
  },
  onResponse: ({ response: { headers }, serverContext: { quotas } }) => {
    if (quotas.length === 0) return;
    headers.set('ratelimit-policy', quotas.map(({ policy }) => policy).join(', '));
    headers.set('ratelimit', quotas.map(({ state }) => state).join(', '));
  },
});
