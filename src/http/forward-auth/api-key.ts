import { GatewayError } from '../../errors.ts';
import type { RequestHeaders } from '../exchange.ts';
import { readBearer } from '../read-request.ts';

// A realm of its own: what Keyward says of access tokens (RFC 9728) does not hold for API keys.
const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="api"${error}` });

/** No API key at all: a challenge without an error (RFC 6750, section 3.1). */
const noApiKey = () =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(''), reason: 'no-api-key' });

const reasonInLog = (reason: string) => `api-key-${reason.replaceAll('_', '-')}`;

/**
 * An API key that will not do: one answer whatever is wrong with it.
 * @param reason what is wrong, for the log alone
 */
const invalidApiKey = (reason: string) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge(', error="invalid_token"'),
    reason: reasonInLog(reason),
  });

/** How a good API key is refused: for whose it is, from this place, or for what the request needs. */
const forbidden: Readonly<Record<string, (permissions: readonly string[]) => GatewayError>> = {
  account_blocked: () =>
    new GatewayError('FORBIDDEN', 'The account of this API key is blocked', {
      reason: reasonInLog('account_blocked'),
    }),
  address_not_allowed: () =>
    new GatewayError('FORBIDDEN', 'The API key may not be used from this address', {
      reason: reasonInLog('address_not_allowed'),
    }),
  insufficient_permissions: (permissions) =>
    new GatewayError('FORBIDDEN', `The API key needs the permissions: ${permissions.join(' ')}`, {
      headers: challenge(', error="insufficient_scope"'),
      reason: reasonInLog('insufficient_permissions'),
    }),
};

/**
 * Why an API key lets nobody in, as an answer.
 * @param reason what its verification came to
 * @param permissions those that were asked for
 */
export const refusalOf = (reason: string, permissions: readonly string[] = []): GatewayError =>
  forbidden[reason]?.(permissions) ?? invalidApiKey(reason);

/**
 * The API key of a request: in `Authorization: Bearer` or in `X-API-Key`. Another scheme is for somebody else.
 * @throws {GatewayError} `UNAUTHENTICATED` where there is none, or two that differ
 */
export function readApiKey(headers: RequestHeaders): string {
  const inHeaders = [readBearer(headers), headers['x-api-key']?.trim()];
  const [key, another = key] = inHeaders.filter((given) => given !== undefined);
  if (key === undefined) throw noApiKey();
  if (another !== key) throw invalidApiKey('ambiguous');
  return key;
}
