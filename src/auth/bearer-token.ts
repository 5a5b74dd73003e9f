import { invalidToken } from './challenge.ts';

/** The longest token that is looked at, in characters. */
const maximumLength = 8192;

/**
 * The bearer token of an Authorization header (RFC 6750, section 2.1); it is accepted nowhere else.
 * @returns undefined where there is none, another scheme included
 * @throws {GatewayError} `UNAUTHENTICATED` where what follows the scheme is not a token
 */
export function parseBearerToken(authorization: string | null): string | undefined {
  const [, scheme, token = ''] = /^(\S+)(?: +(.*))?$/.exec(authorization?.trim() ?? '') ?? [];
  if (scheme?.toLowerCase() !== 'bearer') return undefined;
  if (token.length > maximumLength) throw invalidToken('too-long');
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw invalidToken('malformed');
  return token;
}
