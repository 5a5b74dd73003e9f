import { STATUS_CODES } from 'node:http';
import type { GatewayError } from '../../errors.ts';

/** The path that proxies call. Envoy appends the path of the client's request. */
export const authorizePath = '/api/v1/keys/authorize';

/** Whether a path is the one that proxies call, with or without an appended path. */
export const isForProxies = (path: string): boolean =>
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

/**
 * The media type and the body of a refusal for a proxy (RFC 9457). The proxy passes it to its client.
 * @returns the body also as the header field `x-keyward-problem`, because nginx reads header fields only
 */
export function problemOf(error: GatewayError) {
  const { status, message, headers } = error;
  const [reason, sentence] = publishedOf(error);
  const detail = sentence ? `${sentence} Retry in ${headers['retry-after']} seconds.` : message;
  const body = JSON.stringify({ title: STATUS_CODES[status], status, detail, reason });
  return { body, headers: { 'content-type': 'application/problem+json', 'x-keyward-problem': body } };
}
