import type { Plugin } from 'graphql-yoga';

/** What is remembered of a request that a page of another origin made. */
interface WithOrigin {
  /** The origin, where it is one of those that are allowed. */
  allowedOrigin?: string;
  /** It asks whether the request that it describes may be made. */
  isPreflight?: boolean;
}

/** Header fields of answers that a page may read, beside those that it always may. */
const exposed = 'Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';

/** How long a browser may keep what a preflight was answered, in seconds; Chromium keeps it no longer than this. */
const maxAge = 7200;

/**
 * Lets pages of other origins read answers (CORS, in the Fetch standard); any other origin gets no CORS header at all.
 * No cookies are used here, so credentials are never allowed. Which methods a path has, the path's own 405 tells.
 * @param origins those that are allowed, as browsers send them
 */
export function useCors(origins: readonly string[]): Plugin<WithOrigin, WithOrigin> {
  const allowed = new Set(origins);
  return {
    onRequest: ({ request: { method, headers }, serverContext }) => {
      const origin = headers.get('origin');
      if (origin === null || !allowed.has(origin)) return;
      serverContext.allowedOrigin = origin;
      serverContext.isPreflight = method === 'OPTIONS' && headers.has('access-control-request-method');
    },
    onResponse: ({ response, setResponse, serverContext, fetchAPI }) => {
      const { allowedOrigin, isPreflight } = serverContext;
      const methods = isPreflight && response.status === 405 ? response.headers.get('allow') : null;
      const answer = methods === null ? response : preflightAnswer(methods, fetchAPI.Response);
      answer.headers.append('vary', 'Origin');
      if (allowedOrigin !== undefined) {
        answer.headers.set('access-control-allow-origin', allowedOrigin);
        if (!isPreflight) answer.headers.set('access-control-expose-headers', exposed);
      }
      if (answer !== response) setResponse(answer);
    },
  };
}

const preflightAnswer = (methods: string, FetchResponse: typeof Response) =>
  new FetchResponse(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': methods,
      // The wildcard does not stand for Authorization.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': `${maxAge}`,
    },
  });
