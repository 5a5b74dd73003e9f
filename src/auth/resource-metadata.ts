import { publicPathOf } from '../config/values/public-path.ts';
import { GatewayError } from '../errors.ts';
import type { Finisher, Handler } from '../http/exchange.ts';
import { realm } from './challenge.ts';
import type { Scope } from './scopes.ts';

/** The path of the document that tells a client where to get a token (RFC 9728, section 3). */
export const metadataPath = '/.well-known/oauth-protected-resource';

/**
 * Answers with the protected resource metadata: where a client gets a token, and for which scopes (RFC 9728).
 * @param publicUrl the URL by which clients reach this service
 * @param issuers the authorization servers whose tokens this service accepts
 * @param scopes the scopes that operations require
 */
export function resourceMetadata(
  publicUrl: string,
  issuers: readonly string[],
  scopes: readonly Scope[],
): Handler {
  return answerMetadata(metadataPath, {
    resource: publicUrl,
    resource_name: 'Keyward',
    authorization_servers: issuers,
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  });
}

/**
 * Answers with a document of metadata, which is always the same.
 * @param path where it is
 * @param more further header fields of the answer
 */
export function answerMetadata(
  path: string,
  document: object,
  more: Readonly<Record<string, string>> = {},
): Handler {
  const metadata = JSON.stringify(document);
  return async ({ method, record }) => {
    record.route = path;
    if (method !== 'GET')
      throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', { headers: { allow: 'GET, HEAD' } });
    return { status: 200, headers: { 'content-type': 'application/json', ...more }, body: metadata };
  };
}

/**
 * Adds the address of the resource metadata to every challenge for an access token (RFC 9728, section 5.1).
 * @param publicUrl the URL by which clients reach this service
 */
export function pointToMetadata(publicUrl: string): Finisher {
  const path = publicPathOf(publicUrl);
  const host = publicUrl.slice(0, publicUrl.length - path.length);
  // The path comes after the well-known one (RFC 9728, section 3.1).
  const parameter = `, resource_metadata="${host}${metadataPath}${path}"`;
  return (_exchange, answer) => {
    const challenge = answer.headers['www-authenticate'];
    // Challenges of another realm do not concern access tokens.
    if (challenge?.startsWith(`Bearer realm="${realm}"`))
      answer.headers['www-authenticate'] = challenge + parameter;
    return answer;
  };
}
