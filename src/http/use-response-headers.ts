import type { Plugin } from 'graphql-yoga';

/** What every answer says: that it belongs to nobody's cache, and is what its media type says. */
export const useResponseHeaders = (): Plugin => ({
  onResponse: ({ response: { headers } }) => {
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    headers.set('x-content-type-options', 'nosniff');
  },
});
