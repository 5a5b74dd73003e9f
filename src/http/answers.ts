import type { GatewayError } from '../errors.ts';
import type { Answer, AnswerHeaders, Exchange, Middleware } from './exchange.ts';

/** The one path of GraphQL. */
export const graphqlPath = '/graphql';

const wholeBody = ['body'];

/** The faults of an input, in pydantic 2's words: where each is, by its wire names, and what it is. */
const detailOf = ({ code, message, issues }: GatewayError) =>
  code === 'BAD_USER_INPUT'
    ? issues.map((issue) => ({
        loc: issue.path.length > 0 ? issue.path : wholeBody,
        msg: issue.message,
        type: issue.type,
      }))
    : message;

/**
 * Answers JSON.
 * @param headers further header fields; the answer gets a copy
 */
export const jsonAnswer = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

/** An error as an answer: as GraphQL answers it where no document was read, on its path, and `{"detail": …}` elsewhere. */
export function answerError({ path }: Pick<Exchange, 'path'>, error: GatewayError): Answer {
  const { message, code, status, headers } = error;
  const body =
    path === graphqlPath ? { errors: [{ message, extensions: { code } }] } : { detail: detailOf(error) };
  return jsonAnswer(body, status, headers);
}

/**
 * Turns what a handler throws into an answer, and notes it.
 * @param translate turns any error into a GatewayError
 */
export const answerErrors =
  (translate: (error: unknown) => GatewayError): Middleware =>
  (next) =>
  async (exchange) => {
    try {
      return await next(exchange);
    } catch (error) {
      exchange.record.failure = translate(error);
      return answerError(exchange, exchange.record.failure);
    }
  };

/** What every answer says of itself: it is of the type that it says, and no page of another site may show it. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** What an answer says that is no page: nothing in it is to be loaded or run, should a browser take it for one. */
export const dataOnly = "default-src 'none'; frame-ancestors 'none'";

/**
 * What every answer says: that it belongs to nobody's cache, and what a browser may do with it.
 * @param hstsMaxAge for how many seconds browsers are to come by TLS alone (RFC 6797); undefined: nothing is said of it
 */
export const answerHeaders =
  (hstsMaxAge?: number): Middleware =>
  (next) =>
  async (exchange) => {
    const answer = await next(exchange);
    const { headers } = answer;
    // A handler may have said otherwise: a page brings a policy of its own.
    headers['cache-control'] ??= 'no-store';
    headers['content-security-policy'] ??= dataOnly;
    Object.assign(headers, securityHeaders);
    if (exchange.record.isReplayed) headers['idempotent-replayed'] = 'true';
    if (hstsMaxAge !== undefined && !exchange.isPlainHttp)
      headers['strict-transport-security'] = `max-age=${hstsMaxAge}`;
    return answer;
  };

/** Says that an answer depends on a header field of its request, beside those that it names already. */
export function varyBy(headers: AnswerHeaders, field: string): void {
  const { vary } = headers;
  headers['vary'] = vary === undefined ? field : `${vary}, ${field}`;
}
