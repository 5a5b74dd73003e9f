import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { decodeJwt } from 'jose/jwt/decode';
import { z } from 'zod';
import type { IssuerConfig } from '../config/config.ts';
import type { Organizations } from '../config/values/organizations.ts';
import { isCanonicalBase64url } from '../secrets/canonical.ts';
import { invalidToken } from './challenge.ts';
import { type Claims, claimOf } from './claims.ts';
import { MalformedOrganization, organizationsOf } from './organizations.ts';
import { mayGrant } from './scopes.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { canVerify, type VerificationKey } from './verification-key.ts';

/** A verified access token, or the rights of a server that has signed in: who is calling, and what they may do. */
export interface AccessToken {
  readonly issuer: string;
  readonly subject: string;
  /** The name of a server that has signed in with a secret. It is no person, and has no account. */
  readonly server?: string;
  /** The scopes that the issuer may grant, in this service's own names; all other scopes of the token are left out. */
  readonly scopes: ReadonlySet<string>;
  /** The organisations that the person belongs to; undefined: none. */
  readonly organizations?: Organizations | undefined;
  /** `exp`: seconds since 1970. */
  readonly expiresAt: number;
}

/** The protected header of a signed token (RFC 7515, section 4.1). */
type Header = Readonly<Partial<Record<'alg' | 'kid' | 'typ' | 'crit', unknown>>>;

/** The greatest allowed difference between the issuer's clock and this server's clock, in seconds. */
const clockTolerance = 60;

/** The decoded parts of a token that is not verified yet. */
export interface DecodedToken {
  readonly header: Header;
  readonly claims: Claims;
  readonly signature: Buffer;
}

/**
 * Decodes a token without verifying it.
 * @throws {GatewayError} `UNAUTHENTICATED` if the text is no signed JWT
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

/**
 * The time from which a token has expired, in milliseconds since 1970. The clocks may differ by 60 seconds.
 * @param exp `exp` of the token: seconds since 1970
 */
export const endOf = (exp: number): number => (Math.floor(exp + clockTolerance) + 1) * 1000;

type Check = [reason: string, passes: boolean];

const assertAll = (checks: readonly Check[]) => {
  for (const [reason, passes] of checks) if (!passes) throw invalidToken(reason);
};

const accessTokenTypes: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const idTokenTypes: readonly unknown[] = [undefined, 'jwt'];

/**
 * Checks everything in a token except its signature, by the rules of the issuer that the token names.
 * @throws {GatewayError} `UNAUTHENTICATED` if a check fails; `SERVICE_UNAVAILABLE` if the service has never read the
 *   issuer's keys
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

/**
 * Whether an RSA signature is as long as the key's modulus (RFC 8017, section 8.1.2). OpenSSL would also accept an
 * RSA-PSS signature without its leading zeros. Signatures of other key types pass.
 */
const isFullLength = ({ length }: Buffer, { publicKey }: VerificationKey): boolean => {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  return bits === undefined || length === Math.ceil(bits / 8);
};

/**
 * Refuses a header that no token of this issuer has. The service never reads `jku`, `x5u` and `jwk`.
 * @throws {GatewayError} `UNAUTHENTICATED`
 */
export function screenHeader({ alg, typ, crit }: Header, { algorithms, givesIdTokens }: IssuerConfig): void {
  const types = givesIdTokens ? idTokenTypes : accessTokenTypes;
  assertAll([
    ['algorithm', algorithms.some((algorithm) => algorithm === alg)],
    ['critical-header', crit === undefined],
    ['type', types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)],
  ]);
}

/**
 * Refuses the claims of a token of another kind, of a token for another service, of a token without the required claims,
 * and of a token that is expired or not yet valid.
 * @throws {GatewayError} `UNAUTHENTICATED`
 */
export function screenClaims(claims: Claims, config: IssuerConfig): void {
  const { iss, sub, exp, nbf } = claims;
  const expiresAt = typeof exp === 'number' ? exp : Number.NaN;
  assertAll([
    ['issuer', iss === config.issuer],
    ['subject', isSubject(sub)],
    ['audience', isForThisService(claims, config)],
    config.givesIdTokens ? ['access-token', mayBeIdToken(claims)] : ['id-token', !isIdToken(claims)],
    ['event', claims['events'] === undefined],
    ['required-claim', hasRequiredClaims(claims, config)],
    ['no-expiry', Number.isFinite(expiresAt)],
    ['expired', Date.now() < endOf(expiresAt)],
    ['not-yet-valid', hasBegun(nbf)],
    ['claim-type', otherClaims.safeParse(claims).success && areScopes(claims, config)],
  ]);
}

/** Whether the token's validity has begun. A number that is too large for a double parses as Infinity, and fails. */
const hasBegun = (nbf: unknown): boolean =>
  nbf === undefined || (typeof nbf === 'number' && Number.isFinite(nbf) && nbf <= now() + clockTolerance);

const textOrTexts = z.union([z.string(), z.array(z.string())]).optional();

/** The names of the claims that grant scopes, and of those that do for most issuers. */
const scopeClaimsOf = ({ scopeClaims }: IssuerConfig): readonly string[] => [...scopeClaims, 'scope', 'scp'];

/** Whether each claim that grants scopes is a text or a list of texts, if it is there. */
const areScopes = (claims: Claims, { scopeClaims }: IssuerConfig): boolean =>
  scopeClaims.every((name) => textOrTexts.safeParse(claimOf(claims, name)).success);

/** Whether a token has one of the accepted values of each required claim. A list or an object is none. */
const hasRequiredClaims = (claims: Claims, { requiredClaims }: IssuerConfig): boolean =>
  [...requiredClaims].every(([name, values]) => {
    const value = claimOf(claims, name);
    return values.some((wanted) => (wanted === null ? value === undefined : value === wanted));
  });

/** The types of `scp` and of the other claims that RFC 7519 and RFC 9068 name. All of these claims are optional. */
const otherClaims = z.object({
  iat: z.number().optional(),
  jti: z.string().optional(),
  client_id: z.string().optional(),
  scope: textOrTexts,
  scp: textOrTexts,
});

/**
 * Whether a subject has 1 to 255 characters (OpenID Connect Core, section 2), and a database can store all of them.
 */
const isSubject = (sub: unknown): boolean =>
  typeof sub === 'string' &&
  sub.length >= 1 &&
  sub.length <= 255 &&
  !sub.includes('\0') &&
  sub.isWellFormed();

const isOneOf = (value: unknown, accepted: readonly string[]): boolean =>
  typeof value === 'string' && accepted.includes(value);

/** Whether a token is for this service: by `aud`, or else by `client_id`, or else by `azp`. */
function isForThisService({ aud, client_id, azp }: Claims, config: IssuerConfig): boolean {
  const { audiences, clientIds, authorizedParties } = config;
  if (config.isForOneApplication) {
    const isParty = authorizedParties.length > 0 ? isOneOf(azp, authorizedParties) : typeof azp === 'string';
    const isClient = client_id === undefined || isOneOf(client_id, clientIds);
    return aud === undefined && isClient && (azp === undefined || isParty);
  }
  // Only the application that a token was issued to may use an ID token (OpenID Connect Core, section 3.1.3.7).
  if (config.givesIdTokens && azp !== undefined && !isOneOf(azp, [...audiences, ...authorizedParties]))
    return false;
  if (aud !== undefined || config.givesIdTokens)
    return [aud].flat().some((audience) => isOneOf(audience, audiences));
  return client_id === undefined ? isOneOf(azp, authorizedParties) : isOneOf(client_id, clientIds);
}

/**
 * Whether a token has claims that only ID tokens carry: OpenID Connect's own claims, Cognito's `token_use`,
 * Keycloak's `typ`.
 */
const isIdToken = ({ nonce, at_hash, c_hash, token_use, typ }: Claims): boolean =>
  nonce !== undefined ||
  at_hash !== undefined ||
  c_hash !== undefined ||
  (token_use !== undefined && token_use !== 'access') ||
  (typ !== undefined && typ !== 'Bearer');

/** Whether a token has no claim that only other tokens carry: Cognito's `token_use`, Keycloak's `typ`. */
const mayBeIdToken = ({ token_use, typ }: Claims): boolean =>
  (token_use === undefined || token_use === 'id') && (typ === undefined || typ === 'ID');

const words = (value: unknown): string[] => {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
};

/**
 * Reads the organisations that a token names.
 * @throws {GatewayError} `UNAUTHENTICATED` for a claim of another form; the log names its path
 */
function readOrganizations(claims: Claims, { organization }: IssuerConfig): Organizations {
  try {
    return organizationsOf(claims, organization);
  } catch (error) {
    if (error instanceof MalformedOrganization) throw invalidToken(`organization-claim: ${error.path}`);
    throw error;
  }
}

/**
 * Builds an access token from verified claims. The scopes come from the issuer's claims for scopes, `scope` and `scp` if
 * it names no others. A token that carries no claim for scopes has those that the issuer gives to people.
 * @throws {GatewayError} `UNAUTHENTICATED` if `iss`, `sub`, `exp` or a claim about organisations has the wrong
 *   type
 */
export function readAccessToken(claims: Claims, config: IssuerConfig): AccessToken {
  const { iss, sub, exp } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number')
    throw invalidToken('subject');
  const carriesScopes = scopeClaimsOf(config).some((name) => claimOf(claims, name) !== undefined);
  const granted = config.scopeClaims
    .flatMap((name) => words(claimOf(claims, name)))
    .flatMap((name) => config.scopeAliases.get(name) ?? [name])
    .filter((name) => mayGrant(config, name));
  const scopes = new Set<string>(carriesScopes ? granted : config.people);
  const organizations = readOrganizations(claims, config);
  return {
    issuer: iss,
    subject: sub,
    scopes,
    expiresAt: exp,
    ...(organizations.size > 0 && { organizations }),
  };
}
