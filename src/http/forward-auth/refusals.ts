import { GatewayError } from '../../errors.ts';

// A realm of its own: what Keyward says of access tokens (RFC 9728) does not hold for API keys.
const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="api"${error}` });

/** No API key at all: a challenge without an error (RFC 6750, section 3.1). */
export const noApiKey = () =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(''), reason: 'no-api-key' });

/**
 * An API key that will not do: one answer whatever is wrong with it.
 * @param reason what is wrong, for the log alone
 */
export const invalidApiKey = (reason: string) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge(', error="invalid_token"'),
    reason: `api-key-${reason.replaceAll('_', '-')}`,
  });
