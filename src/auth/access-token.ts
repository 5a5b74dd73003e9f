import type { IssuerConfig } from '../config/config.ts';
import { insufficientScope, invalidToken, notAuthenticated } from './challenge.ts';

/** A verified access token: who is calling, and what they may do. */
export interface AccessToken {
  readonly issuer: string;
  readonly subject: string;
  /** In this service's own names. */
  readonly scopes: ReadonlySet<string>;
  /** `exp`: seconds since 1970. */
  readonly expiresAt: number;
}

/** The claims of a token, as on the wire (RFC 9068). */
export type Claims = Readonly<Record<string, unknown>>;

const words = (value: unknown): string[] => {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
};

/** The access token that verified claims amount to. Scopes stand in `scope`, or in `scp` (Entra, Okta). */
export function readAccessToken(claims: Claims, { scopeAliases }: IssuerConfig): AccessToken {
  const { iss, sub, exp, scope, scp } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number')
    throw invalidToken('subject');
  const scopes = [...words(scope), ...words(scp)].flatMap((name) => scopeAliases.get(name) ?? [name]);
  return { issuer: iss, subject: sub, scopes: new Set(scopes), expiresAt: exp };
}

/**
 * Lets a caller pass who has every scope that is required.
 * @throws {GatewayError} `UNAUTHENTICATED` without a token, `FORBIDDEN` with too few scopes
 */
export function requireScopes(required: readonly string[], accessToken: AccessToken | undefined): void {
  if (!accessToken) throw notAuthenticated();
  const missing = required.filter((scope) => !accessToken.scopes.has(scope));
  if (missing.length > 0) throw insufficientScope(missing, required);
}
