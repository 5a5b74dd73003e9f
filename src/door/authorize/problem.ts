import { STATUS_CODES } from 'node:http';
import type { GatewayError } from '../../errors.ts';
import type { Finisher } from '../../http/exchange.ts';

/** The path that proxies call. Envoy appends the path of the client's request. */
export const authorizePath = '/api/v1/keys/authorize';

/** Whether a path is the one that proxies call, with or without an appended path. */
const isForProxies = (path: string): boolean =>
  path === authorizePath || path.startsWith(`${authorizePath}/`);

const rateExceeded = 'The API key exceeded its rate limit.';

/** The reason that a client sees for each reason in the log, and for limits a sentence. */
const published: Readonly<Record<string, readonly [reason: string, sentence?: string]>> = {
  'no-api-key': ['no_api_key'],
  'api-key-account-blocked': ['account_blocked'],
  'api-key-address-not-allowed': ['address_not_allowed'],
  'api-key-insufficient-permissions': ['insufficient_permissions'],
  'malformed-requirement': ['malformed_requirement'],
  'rate-limit-key': ['rate_limited', rateExceeded],
  'rate-limit-api-key': ['rate_limited', rateExceeded],
  'rate-limit-plan': ['account_rate_limited', 'The API keys of this account exceeded their rate limit.'],
  'rate-limit-address': ['too_many_wrong_keys', 'Too many wrong API keys came from this address.'],
  'quota-exceeded': ['quota_exceeded', 'The quota of the API key is used up.'],
  'plan-quota-exceeded': ['account_quota_exceeded', 'The quota of the account is used up.'],
};

/** All wrong keys have the same reason: a client cannot find out whether a key ever existed. */
const publishedOf = ({ code, reason = '' }: GatewayError) =>
  published[reason] ?? (code === 'UNAUTHENTICATED' ? ['invalid_api_key'] : []);

/** The sentence for a client, with the time to wait if a limit is used up. */
const detailOf = ({ message, headers }: GatewayError, sentence: string | undefined): string =>
  sentence === undefined ? message : `${sentence} Retry in ${headers['retry-after']} seconds.`;

/** The body of a refusal. Without an error, the service refused the request because of its load. */
function bodyOf(status: number, error: GatewayError | undefined): string {
  const title = STATUS_CODES[status];
  if (!error) return JSON.stringify({ title, status, detail: title });
  const [reason, sentence] = publishedOf(error);
  return JSON.stringify({ title, status, detail: detailOf(error, sentence), reason });
}

/**
 * Makes each refusal for a proxy a problem document (RFC 9457), which the proxy passes to its client. The header field
 * `x-keyward-problem` has the same text, because nginx reads header fields only. The answer must be a refusal.
 */
export const refuseWithProblems: Finisher = ({ path, record }, answer) => {
  if (!isForProxies(path)) return answer;
  const body = bodyOf(answer.status, record.failure);
  const headers = {
    ...answer.headers,
    'content-type': 'application/problem+json',
    'x-keyward-problem': body,
  };
  return { ...answer, body, headers };
};
