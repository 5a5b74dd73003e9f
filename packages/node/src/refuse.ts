import type { ApiKeyVerification } from './generated/openapi.ts';
import type { Refusal } from './types.ts';

const titles: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Makes a problem document. It has the words of Keyward's forward auth. */
const refusal = (status: number, reason: string, detail: string, headers = {}): Refusal => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({ title: titles[status], status, detail, reason }),
});

const challenge = (error: string) => ({
  'www-authenticate': `Bearer realm="api"${error && `, error="${error}"`}`,
});

const retry = (seconds: number) => ({ 'retry-after': `${seconds}` });

/** For a request without a key. */
export const noKey = refusal(401, 'no_api_key', 'Not authenticated', challenge(''));

/** For a request that comes while nobody can tell whether its key is valid. */
export const unavailable = (error: unknown): Refusal =>
  refusal(
    503,
    'unavailable',
    'The API key cannot be checked now. Try again later.',
    retry((error as { retryAfter?: number }).retryAfter ?? 1),
  );

/** For a key that has used up a limit until then. If the limit never refills, somebody may raise it within the hour. */
function tooMany(reason: string, sentence: string, until: string | null | undefined): Refusal {
  const seconds = Math.max(Math.ceil((Date.parse(until ?? '') - Date.now()) / 1000), 1) || 3600;
  return refusal(429, reason, `${sentence} Retry in ${seconds} seconds.`, retry(seconds));
}

/**
 * Makes the refusal for a verification.
 * @param permissions those that the request needs
 */
export function refuse(verification: ApiKeyVerification, permissions: readonly string[]): Refusal {
  const { rate_limit: rate, quota, entitlement: shared } = verification;
  const reason = `${verification.reason}`;
  switch (reason) {
    case 'not_found':
    case 'inactive':
    case 'expired':
    case 'rotated':
    case 'paused':
      // Nobody learns which keys exist.
      return refusal(401, 'invalid_api_key', 'Could not validate credentials', challenge('invalid_token'));
    case 'account_blocked':
      return refusal(403, reason, 'The account of this API key is blocked');
    case 'address_not_allowed':
      return refusal(403, reason, 'The API key may not be used from this address');
    case 'insufficient_permissions':
      return refusal(
        403,
        reason,
        `The API key needs the permissions: ${permissions.join(' ')}`,
        challenge('insufficient_scope'),
      );
    case 'rate_limited':
      return tooMany(reason, 'The API key exceeded its rate limit.', rate?.resets_at);
    case 'account_rate_limited':
      return tooMany(
        reason,
        'The API keys of this account exceeded their rate limit.',
        shared?.rate_limit?.resets_at,
      );
    case 'quota_exceeded':
      return tooMany(reason, 'The quota of the API key is used up.', quota?.refills_at);
    case 'account_quota_exceeded':
      return tooMany(reason, 'The quota of the account is used up.', shared?.quota?.refills_at);
    default:
      // A later version may have more reasons.
      return refusal(403, reason, 'The API key may not be used for this request');
  }
}
