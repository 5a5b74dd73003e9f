import type { Plugin } from 'graphql-yoga';
import type { WithQuotas } from './limiter.ts';

/**
 * Tells a client its limits and what is left of them, on every answer that was counted
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const useQuotaHeaders = (): Plugin<WithQuotas, WithQuotas> => ({
  onRequest: ({ serverContext }) => {
    serverContext.quotas = new Map();
  },
  onResponse: ({ response: { headers }, serverContext: { quotas } }) => {
    if (quotas.size === 0) return;
    const all = [...quotas.values()];
    headers.set('ratelimit-policy', all.map(({ policy }) => policy).join(', '));
    headers.set('ratelimit', all.map(({ state }) => state).join(', '));
  },
});
