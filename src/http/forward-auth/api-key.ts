import { GatewayError } from '../../errors.ts';
import type { RequestHeaders } from '../exchange.ts';
import { readBearer } from '../read-request.ts';

// API keys have their own realm, because the metadata for access tokens (RFC 9728) does not apply to them.
const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="api"${error}` });

/** The error for a request without an API key. Its challenge names no error (RFC 6750, section 3.1). */
const noApiKey = () =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(''), reason: 'no-api-key' });

const reasonInLog = (reason: string) => `api-key-${reason.replaceAll('_', '-')}`;

/**
 * The error for an unacceptable API key. The caller gets the same answer whatever is wrong with the key.
 * @param reason the fault of the key; only the log shows it
 */
const invalidApiKey = (reason: string) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge(', error="invalid_token"'),
    reason: reasonInLog(reason),
  });

/**
 * The errors for a genuine API key: its account is blocked, the client's address is not allowed, or permissions are
 * missing.
 */
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
 * Makes the error for a refused API key.
 * @param reason the reason of the refusal, from the verification
 * @param permissions the permissions that the request needs
 */
export const refusalOf = (reason: string, permissions: readonly string[] = []): GatewayError =>
  forbidden[reason]?.(permissions) ?? invalidApiKey(reason);

/**
 * Reads the API key of a request from `Authorization: Bearer` or from `X-API-Key`. Other schemes of `Authorization`
 * are ignored: they concern another service.
 * @throws {GatewayError} `UNAUTHENTICATED` if the request has no API key, or two different ones
 */
export function readApiKey(headers: RequestHeaders): string {
  const inHeaders = [readBearer(headers), headers['x-api-key']?.trim()];
  const [key, another = key] = inHeaders.filter((given) => given !== undefined);
  if (key === undefined) throw noApiKey();
  if (another !== key) throw invalidApiKey('ambiguous');
  return key;
}
