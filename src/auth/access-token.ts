import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { decodeJwt } from 'jose/jwt/decode';
import { z } from 'zod';
import type { IssuerConfig } from '../config/config.ts';
import type { RequestHeaders } from '../http/exchange.ts';
import { readBearer } from '../http/read-request.ts';
import { isCanonicalBase64url } from '../secrets/canonical.ts';
import { invalidToken } from './challenge.ts';
import { mayGrant } from './scopes.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { canVerify, type VerificationKey } from './verification-key.ts';

/** A verified access token: who is calling, and what they may do. */
export interface AccessToken {
  readonly issuer: string;
  readonly subject: string;
  /** In this service's own names: those that its issuer may grant, and no others. */
  readonly scopes: ReadonlySet<string>;
  /** `exp`: seconds since 1970. */
  readonly expiresAt: number;
}

/** The claims of a token, as on the wire (RFC 9068). */
export type Claims = Readonly<Record<string, unknown>>;

/** The longest token that is looked at, in characters. */
const maximumLength = 8192;

/**
 * The bearer token of a request; it is accepted in the Authorization header alone.
 * @returns undefined where there is none
 * @throws {GatewayError} `UNAUTHENTICATED` where it is too long to be looked at
 */
export function readBearerToken(headers: RequestHeaders): string | undefined {
  const token = readBearer(headers);
  if (token !== undefined && token.length > maximumLength) throw invalidToken('too-long');
  return token;
}

/** The protected header of a signed token (RFC 7515, section 4.1). */
interface Header {
  readonly alg?: unknown;
  readonly kid?: unknown;
  readonly typ?: unknown;
  readonly crit?: unknown;
}

/** How far clocks may differ, in seconds. */
const clockTolerance = 60;

/** A token, read and not yet believed. */
export interface DecodedToken {
  readonly header: Header;
  readonly claims: Claims;
  readonly signature: Buffer;
}

/**
 * Reads a token without believing it.
 * @throws {GatewayError} `UNAUTHENTICATED` where it is no signed JWT
 */
export function decodeToken(token: string): DecodedToken {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) || !token.split('.').every(isCanonicalBase64url))
    throw invalidToken('malformed');
  try {
    const signature = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token), signature };
  } catch (cause) {
    throw invalidToken('malformed', cause);
  }
}

const now = () => Math.floor(Date.now() / 1000);

/** Whether a token with this `exp` has expired, the difference of clocks allowed for. */
export const isExpired = (exp: number): boolean => now() > exp + clockTolerance;

type Check = [reason: string, passes: boolean];

const assertAll = (checks: readonly Check[]) => {
  for (const [reason, passes] of checks) if (!passes) throw invalidToken(reason);
};

const accessTokenTypes: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/**
 * Checks all of a token but its signature, against the issuer that it names.
 * @throws {GatewayError} `UNAUTHENTICATED`; `SERVICE_UNAVAILABLE` where the issuer's keys were never read
 */
export async function screenToken(
  { header, claims, signature }: DecodedToken,
  { config, keys }: TrustedIssuer,
): Promise<void> {
  screenHeader(header, config);
  screenClaims(claims, config);
  const key = await keys.find(header.kid, header.alg);
  if (!key) throw invalidToken('unknown-key');
  if (!canVerify(key, header.alg)) throw invalidToken('key-algorithm');
  if (!isFullLength(signature, key)) throw invalidToken('signature');
}

/** As long as the modulus (RFC 8017, section 8.1.2): OpenSSL takes an RSA-PSS signature without its leading zeros. */
const isFullLength = ({ length }: Buffer, { publicKey }: VerificationKey): boolean => {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  return bits === undefined || length === Math.ceil(bits / 8);
};

/** Refuses a header that no access token of this issuer has. `jku`, `x5u` and `jwk` are never looked at. */
export function screenHeader({ alg, typ, crit }: Header, { algorithms }: IssuerConfig): void {
  assertAll([
    ['algorithm', algorithms.some((algorithm) => algorithm === alg)],
    ['critical-header', crit === undefined],
    ['type', accessTokenTypes.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)],
  ]);
}

/** Refuses the claims of an ID token, and of any that was not issued for this service, now. */
export function screenClaims(claims: Claims, config: IssuerConfig): void {
  const { iss, sub, exp, nbf } = claims;
  const expiresAt = typeof exp === 'number' ? exp : Number.NaN;
  assertAll([
    ['issuer', iss === config.issuer],
    ['subject', isSubject(sub)],
    ['audience', isForThisService(claims, config)],
    ['id-token', !isIdToken(claims)],
    ['no-expiry', Number.isFinite(expiresAt)],
    ['expired', !isExpired(expiresAt)],
    ['not-yet-valid', hasBegun(nbf)],
    ['claim-type', otherClaims.safeParse(claims).success],
  ]);
}

/** Whether a token is valid already. A number that is too large for a double would be one without an end. */
const hasBegun = (nbf: unknown): boolean =>
  nbf === undefined || (typeof nbf === 'number' && Number.isFinite(nbf) && nbf <= now() + clockTolerance);

const textOrTexts = z.union([z.string(), z.array(z.string())]).optional();

/** The types of the other claims that RFC 7519 and RFC 9068 name, and of `scp`, where they are there. */
const otherClaims = z.object({
  iat: z.number().optional(),
  jti: z.string().optional(),
  client_id: z.string().optional(),
  scope: textOrTexts,
  scp: textOrTexts,
});

/** 1 to 255 characters (OpenID Connect Core, section 2), each of which a database can store. */
const isSubject = (sub: unknown): boolean =>
  typeof sub === 'string' &&
  sub.length >= 1 &&
  sub.length <= 255 &&
  !sub.includes('\0') &&
  sub.isWellFormed();

const isForThisService = ({ aud, client_id }: Claims, { audiences, clientIds }: IssuerConfig): boolean =>
  aud === undefined
    ? typeof client_id === 'string' && clientIds.includes(client_id)
    : [aud].flat().some((audience) => typeof audience === 'string' && audiences.includes(audience));

/** What only ID tokens carry: OpenID Connect's own claims, Cognito's `token_use`, Keycloak's `typ`. */
const isIdToken = ({ nonce, at_hash, c_hash, token_use, typ }: Claims): boolean =>
  nonce !== undefined ||
  at_hash !== undefined ||
  c_hash !== undefined ||
  (token_use !== undefined && token_use !== 'access') ||
  (typ !== undefined && typ !== 'Bearer');

const words = (value: unknown): string[] => {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
};

/** The access token that verified claims amount to. Scopes stand in `scope`, or in `scp` (Entra, Okta). */
export function readAccessToken(claims: Claims, config: IssuerConfig): AccessToken {
  const { iss, sub, exp, scope, scp } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number')
    throw invalidToken('subject');
  const scopes = [...words(scope), ...words(scp)]
    .flatMap((name) => config.scopeAliases.get(name) ?? [name])
    .filter((name) => mayGrant(config, name));
  return { issuer: iss, subject: sub, scopes: new Set(scopes), expiresAt: exp };
}
