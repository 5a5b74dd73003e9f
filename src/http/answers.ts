import { hash } from 'node:crypto';
import type { GatewayError } from '../errors.ts';
import type { Answer, AnswerHeaders, Exchange, Finisher } from './exchange.ts';

/** The path of GraphQL. */
export const graphqlPath = '/graphql';

const wholeBody = ['body'];

/**
 * The faults of an input in the form of pydantic 2: the place of each fault by its wire names, and its message. Other
 * errors have only a message.
 */
const detailOf = ({ code, message, issues }: GatewayError) =>
  code === 'BAD_USER_INPUT'
    ? issues.map((issue) => ({
        loc: issue.path.length > 0 ? issue.path : wholeBody,
        msg: issue.message,
        type: issue.type,
      }))
    : message;

/**
 * Makes a JSON answer.
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

/**
 * Makes the answer for an error. On the GraphQL path, the answer has GraphQL's form for a request without a readable
 * document; on all other paths it is `{"detail": …}`.
 */
export function answerError({ path }: Pick<Exchange, 'path'>, error: GatewayError): Answer {
  const { message, code, status, headers } = error;
  const body =
    path === graphqlPath ? { errors: [{ message, extensions: { code } }] } : { detail: detailOf(error) };
  return jsonAnswer(body, status, headers);
}

/**
 * The header fields of every answer: browsers must not guess another content type, and other sites must not embed the
 * answer.
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/**
 * The content security policy of an answer that is no page. If a browser takes the answer for a page, the browser
 * loads and runs nothing.
 */
export const dataOnly = "default-src 'none'; frame-ancestors 'none'";

/**
 * Adds header fields to every answer: no cache may store the answer, and browsers get their policies.
 * @param hstsMaxAge the time for which browsers must use TLS (RFC 6797), in seconds; undefined: answers do not say it
 */
export const answerHeaders =
  (hstsMaxAge?: number): Finisher =>
  ({ isPlainHttp, record }, answer) => {
    const { headers } = answer;
    // A handler may set these fields itself: a page brings a policy of its own.
    headers['cache-control'] ??= 'no-store';
    headers['content-security-policy'] ??= dataOnly;
    Object.assign(headers, securityHeaders);
    if (record.isReplayed) headers['idempotent-replayed'] = 'true';
    if (hstsMaxAge !== undefined && !isPlainHttp)
      headers['strict-transport-security'] = `max-age=${hstsMaxAge}`;
    return answer;
  };

/** Adds a header field of the request to the answer's `Vary`: the answer depends on that field. */
export function varyBy(headers: AnswerHeaders, field: string): void {
  const { vary } = headers;
  headers['vary'] = vary === undefined ? field : `${vary}, ${field}`;
}

/**
 * The entity tag of a representation (RFC 9110, section 8.8.3). The tag is strong and depends on the bytes alone, so
 * every node and both databases give the same tag.
 */
export const entityTagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
