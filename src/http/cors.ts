import { varyBy } from './answers.ts';
import type { Answer, Middleware } from './exchange.ts';

/** Header fields of answers that a page may read, beside those that it always may. */
const exposed =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';

/** How long a browser may keep what a preflight was answered, in seconds; Chromium keeps it no longer than this. */
const maxAge = 7200;

/**
 * Lets pages of other origins read answers (CORS, in the Fetch standard); any other origin gets no CORS header at all.
 * No cookies are used here, so credentials are never allowed. Which methods a path has, the path's own 405 tells.
 * @param origins those that are allowed, as browsers send them
 */
export function cors(origins: readonly string[]): Middleware {
  const allowed = new Set(origins);
  return (next) => async (exchange) => {
    const { method, headers } = exchange;
    const { origin } = headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    const isPreflight =
      isAllowed && method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    const given = await next(exchange);
    const answer = isPreflight ? answerPreflight(given) : given;
    varyBy(answer.headers, 'Origin');
    if (isAllowed) answer.headers['access-control-allow-origin'] = origin;
    if (isAllowed && !isPreflight) answer.headers['access-control-expose-headers'] = exposed;
    return answer;
  };
}

/** Which methods there are, by the answer that names them; any other answer stands. */
function answerPreflight(answer: Answer): Answer {
  const methods = answer.status === 405 ? answer.headers['allow'] : undefined;
  if (methods === undefined) return answer;
  return {
    status: 204,
    body: '',
    headers: {
      'access-control-allow-methods': methods,
      // The wildcard does not stand for Authorization.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': `${maxAge}`,
    },
  };
}
