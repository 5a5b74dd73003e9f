import type { Plugin } from 'graphql-yoga';
import { dataOnly, securityHeaders } from './security-headers.ts';
import type { WithForwarded } from './use-forwarded.ts';

const constant = Object.entries(securityHeaders);

/**
 * What every answer says: that it belongs to nobody's cache, and what a browser may do with it. A page brings a
 * `Content-Security-Policy` of its own.
 * @param hstsMaxAge for how many seconds browsers are to come by TLS alone (RFC 6797); undefined: nothing is said of it
 */
export const useResponseHeaders = (hstsMaxAge?: number): Plugin<object, WithForwarded> => ({
  onResponse: ({ response: { headers }, serverContext }) => {
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    if (!headers.has('content-security-policy')) headers.set('content-security-policy', dataOnly);
    for (const [name, value] of constant) headers.set(name, value);
    if (hstsMaxAge !== undefined && !serverContext.isPlainHttp)
      headers.set('strict-transport-security', `max-age=${hstsMaxAge}`);
  },
});
