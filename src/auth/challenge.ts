import { GatewayError } from '../errors.ts';

/** What access tokens are for, in a challenge. */
export const realm = 'keyward';

const challenge = (parameters: Readonly<Record<string, string>> = {}) => ({
  'www-authenticate': `Bearer ${Object.entries({ realm, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`,
});

/** No token at all: a challenge without an error (RFC 6750, section 3.1). */
export const notAuthenticated = () =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(), reason: 'no-token' });

/**
 * A token that will not do: one answer whatever is wrong with it.
 * @param reason which check refused it, for the log alone
 */
export const invalidToken = (reason: string, cause?: unknown) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge({ error: 'invalid_token' }),
    reason: `token-${reason}`,
    cause,
  });

/**
 * A good token that lacks a scope.
 * @param missing the scopes that it lacks
 * @param required all that the operation needs
 */
export const insufficientScope = (missing: readonly string[], required: readonly string[]) =>
  new GatewayError('FORBIDDEN', `The access token lacks the scope: ${missing.join(' ')}`, {
    headers: challenge({ error: 'insufficient_scope', scope: required.join(' ') }),
    reason: 'scope-missing',
  });
