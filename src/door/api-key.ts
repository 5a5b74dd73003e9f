import { GatewayError } from '../errors.ts';
import type { RequestHeaders } from '../http/exchange.ts';
import { readBearer } from '../http/read-request.ts';

const reasonInLog = (reason: string) => `api-key-${reason.replaceAll('_', '-')}`;

/** Makes the challenge of a refusal. */
type Challenge = (error?: string) => { readonly 'www-authenticate': string };

// API keys have their own realm, because the metadata for access tokens (RFC 9728) does not apply to them.
const bearerChallenge: Challenge = (error) => ({
  'www-authenticate': `Bearer realm="api"${error ? `, error="${error}"` : ''}`,
});

/**
 * The challenge if keys come in a header field of their own. No registered scheme names one, and a challenge of the
 * scheme Bearer would tell a client to renew the token that it has for the API itself.
 */
const headerChallenge: Challenge = () => ({ 'www-authenticate': 'ApiKey realm="api"' });

/** A refusal of a genuine API key. */
interface Forbidden {
  readonly sentence: (permissions: readonly string[]) => string;
  /** The error in the challenge; missing: the refusal has no challenge. */
  readonly error?: string;
}

const forbidden: Readonly<Record<string, Forbidden>> = {
  account_blocked: { sentence: () => 'The account of this API key is blocked' },
  address_not_allowed: { sentence: () => 'The API key may not be used from this address' },
  insufficient_permissions: {
    sentence: (permissions) => `The API key needs the permissions: ${permissions.join(' ')}`,
    error: 'insufficient_scope',
  },
};

/** The header field beside `Authorization` that carries API keys, unless the operator names another. */
export const usualKeyHeader = 'X-API-Key';

/** Reads from `Authorization: Bearer` or `X-API-Key`. Another scheme of `Authorization` concerns another service. */
const readUsual = (headers: RequestHeaders) => [
  readBearer(headers),
  headers[usualKeyHeader.toLowerCase()]?.trim(),
];

/**
 * Makes what reads the API keys of requests, and makes the errors for refused ones.
 * @param header the name of the only header field that carries API keys; undefined: `Authorization: Bearer` or
 *   `X-API-Key`
 */
export function createApiKeyReader(header: string | undefined) {
  const name = header?.toLowerCase();
  const given = name === undefined ? readUsual : (headers: RequestHeaders) => [headers[name]?.trim()];
  const challenge = name === undefined ? bearerChallenge : headerChallenge;

  /**
   * Makes the error for a refused API key. The caller gets the same answer whatever is wrong with a key that is not
   * genuine.
   * @param reason the reason of the refusal, from the verification; only the log shows it
   * @param permissions the permissions that the request needs
   */
  const refuse = (reason: string, permissions: readonly string[] = []): GatewayError => {
    const { sentence, error } = forbidden[reason] ?? {};
    const inLog = { reason: reasonInLog(reason) };
    if (sentence)
      return new GatewayError('FORBIDDEN', sentence(permissions), {
        ...inLog,
        headers: error ? challenge(error) : {},
      });
    const headers = challenge('invalid_token');
    return new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', { ...inLog, headers });
  };

  /**
   * Reads the API key of a request.
   * @throws {GatewayError} `UNAUTHENTICATED` if the request has no API key, or two different ones
   */
  const read = (headers: RequestHeaders): string => {
    const [key, another = key] = given(headers).filter((text) => text !== undefined);
    // The challenge names no error (RFC 6750, section 3.1).
    if (key === undefined)
      throw new GatewayError('UNAUTHENTICATED', 'Not authenticated', {
        headers: challenge(),
        reason: 'no-api-key',
      });
    if (another !== key) throw refuse('ambiguous');
    return key;
  };
  return { read, refuse };
}

/** Says in an answer that the database is away, and that the key was judged by what it said before. */
export const stale = { 'x-keyward-stale': '1' };

/** Reads the API keys of requests, and makes the errors for refused ones. */
export type ApiKeyReader = ReturnType<typeof createApiKeyReader>;
