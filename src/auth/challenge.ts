import { GatewayError } from '../errors.ts';

/** The realm of access tokens in a challenge (RFC 9110, section 11.5). */
export const realm = 'keyward';

const challenge = (parameters: Readonly<Record<string, string>> = {}) => ({
  'www-authenticate': `Bearer ${Object.entries({ realm, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`,
});

/**
 * The error for a request without a token. Its challenge names no error (RFC 6750, section 3.1).
 * @param reason why the request needs a token, if others do not; only the log shows it
 */
export const notAuthenticated = (reason = 'no-token') =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(), reason });

/**
 * The error for an unacceptable token. The caller gets the same answer whatever is wrong with the token.
 * @param reason the failed check; only the log shows it
 */
export const invalidToken = (reason: string, cause?: unknown) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge({ error: 'invalid_token' }),
    reason: `token-${reason}`,
    cause,
  });

/**
 * The error for a server with a wrong name or a wrong secret. It is the same as for an unacceptable token, but for the
 * challenge of HTTP Basic if the server used that (RFC 7617).
 */
export const invalidServerSecret = (isBasic: boolean) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: isBasic
      ? { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` }
      : challenge({ error: 'invalid_token' }),
    reason: 'token-server-secret',
  });

/**
 * The error for a member of an organisation whose role does not allow an operation. Another token would not help, so the
 * answer has no challenge.
 * @param what what the role does not allow, as the end of a sentence
 * @param roles the roles that allow it
 */
export const roleForbids = (what: string, roles: readonly string[]) =>
  new GatewayError(
    'FORBIDDEN',
    `Your role in this organization may not ${what}. Roles that may: ${roles.join(', ')}`,
    { reason: 'organization-role' },
  );

/**
 * The error for a valid token that lacks a scope.
 * @param missing the scopes that the token lacks
 * @param required all scopes that the operation needs
 * @param advice another way to run the operation; empty: there is none
 */
export const insufficientScope = (missing: readonly string[], required: readonly string[], advice = '') =>
  new GatewayError(
    'FORBIDDEN',
    [`The access token lacks the scope: ${missing.join(' ')}`, advice].filter(Boolean).join('. '),
    {
      headers: challenge({ error: 'insufficient_scope', scope: required.join(' ') }),
      reason: 'scope-missing',
    },
  );
