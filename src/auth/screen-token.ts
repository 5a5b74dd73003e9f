import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { IssuerConfig } from '../config.ts';
import type { Claims } from './access-token.ts';
import { invalidToken } from './challenge.ts';

/** The protected header of a signed token (RFC 7515, section 4.1). */
interface Header {
  readonly alg?: unknown;
  readonly kid?: unknown;
  readonly typ?: unknown;
  readonly crit?: unknown;
}

/** How far clocks may differ, in seconds. */
const clockTolerance = 60;

/** Reads a token without believing it. */
export function decodeToken(token: string): { header: Header; claims: Claims } {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch (cause) {
    throw invalidToken('malformed', cause);
  }
}

type Check = [reason: string, passes: boolean];

const assertAll = (checks: readonly Check[]) => {
  for (const [reason, passes] of checks) if (!passes) throw invalidToken(reason);
};

const accessTokenTypes: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/** Refuses a header that no access token of this issuer has. `jku`, `x5u` and `jwk` are never looked at. */
export function screenHeader({ alg, typ, crit }: Header, { algorithms }: IssuerConfig): void {
  assertAll([
    ['algorithm', algorithms.some((algorithm) => algorithm === alg)],
    ['critical-header', crit === undefined],
    ['type', accessTokenTypes.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)],
  ]);
}

/** Refuses the claims of an ID token, and of any that was not issued for this service, now. */
export function screenClaims(claims: Claims, config: IssuerConfig, now = Date.now() / 1000): void {
  const { iss, sub, exp, nbf } = claims;
  assertAll([
    ['issuer', iss === config.issuer],
    ['subject', typeof sub === 'string' && sub !== ''],
    ['audience', isForThisService(claims, config)],
    ['id-token', !isIdToken(claims)],
    ['no-expiry', typeof exp === 'number'],
    ['expired', typeof exp === 'number' && Math.floor(now) <= exp + clockTolerance],
    [
      'not-yet-valid',
      nbf === undefined || (typeof nbf === 'number' && nbf <= Math.floor(now) + clockTolerance),
    ],
  ]);
}

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
