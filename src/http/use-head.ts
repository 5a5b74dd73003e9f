import type { Plugin } from 'graphql-yoga';

/** Answers HEAD wherever GET is answered: the same, without the body (RFC 9110, section 9.3.2). */
export function useHead(): Plugin<object, { isHead?: boolean }> {
  return {
    onRequest: ({ request, setRequest, serverContext, fetchAPI }) => {
      if (request.method !== 'HEAD') return;
      serverContext.isHead = true;
      const { url, headers, signal } = request;
      setRequest(new fetchAPI.Request(url, { method: 'GET', headers, signal }));
    },
    onResponse: ({ response, setResponse, serverContext, fetchAPI }) => {
      if (!serverContext.isHead) return;
      const { status, headers } = response;
      setResponse(new fetchAPI.Response(null, { status, headers }));
    },
  };
}
