import type { Answer, AnswerHeaders, Finisher } from './exchange.ts';

/** The answers' header fields that a page may read, beside those that the standard always allows. */
const exposed =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id';

/**
 * The time for which a browser may cache the answer to a preflight, in seconds; Chromium accepts no more than this.
 */
const maxAge = 7200;

/**
 * Lets pages of other origins read answers (CORS, in the Fetch standard). An origin that is not allowed gets no CORS
 * header field. The service uses no cookies, so it never allows credentials. A preflight learns the path's methods
 * from the path's own answer 405.
 * @param origins the allowed origins, as browsers send them: `https://app.example.com`
 */
export function cors(origins: readonly string[]): Finisher {
  const allowed = new Set(origins);
  return ({ method, headers }, given) => {
    const { origin } = headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    const isPreflight =
      isAllowed && method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    const answer = isPreflight ? answerPreflight(given) : given;
    varyBy(answer.headers, 'Origin');
    if (isAllowed) answer.headers['access-control-allow-origin'] = origin;
    if (isAllowed && !isPreflight) answer.headers['access-control-expose-headers'] = exposed;
    return answer;
  };
}

/** Makes the answer to a preflight from the answer that names the path's methods; any other answer stays as it is. */
function answerPreflight(answer: Answer): Answer {
  const methods = answer.status === 405 ? answer.headers['allow'] : undefined;
  if (methods === undefined) return answer;
  return {
    status: 204,
    body: '',
    headers: {
      'access-control-allow-methods': methods,
      // The wildcard does not include Authorization.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': `${maxAge}`,
    },
  };
}

/** Adds a header field of the request to the answer's `Vary`: the answer depends on that field. */
function varyBy(headers: AnswerHeaders, field: string): void {
  const { vary } = headers;
  headers['vary'] = vary === undefined ? field : `${vary}, ${field}`;
}
