import type { KeyObject } from 'node:crypto';
import { useJWT } from '@graphql-yoga/plugin-jwt';
import type { Plugin } from 'graphql-yoga';
import { compactVerify } from 'jose/jws/compact/verify';
import type { SignatureAlgorithm } from '../config/issuers.ts';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Claims, type DecodedToken, readBearerToken } from './access-token.ts';
import { invalidToken } from './challenge.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { findKey, type KeySet } from './verification-key.ts';

/** The algorithms that the library behind plugin-jwt does not have. */
type Edwards = 'EdDSA' | 'Ed25519';

const isEdwards = (algorithm: unknown): algorithm is Edwards =>
  algorithm === 'EdDSA' || algorithm === 'Ed25519';

const isKnownToPlugin = (algorithm: SignatureAlgorithm): algorithm is Exclude<SignatureAlgorithm, Edwards> =>
  !isEdwards(algorithm);

/**
 * plugin-jwt for one issuer. On its own it verifies too little: it takes HS256, answers an unknown `kid` with 500 and
 * `bearer` with 400, and asks for no issuer, audience, expiry or subject. So it is only run for a token that was
 * screened for all of that, on the same bytes; what is left to it is the signature.
 */
export const useSignature = ({ config, keys }: TrustedIssuer): Plugin =>
  useJWT({
    tokenLookupLocations: [
      ({ serverContext }) => found(readBearerToken((serverContext as WithHeaders).headers)),
    ],
    signingKeyProviders: [(kid) => asText(keys.current?.get(kid ?? '')?.publicKey)],
    // Expiry was checked to the second before; here it may only not be stricter.
    tokenVerification: {
      algorithms: config.algorithms.filter(isKnownToPlugin),
      issuer: config.issuer,
      clockTolerance: 61,
    },
    reject: { missingToken: false, invalidToken: true },
  });

/** The context of a request on either transport. */
type WithHeaders = Pick<Exchange, 'headers'>;

/** What plugin-jwt leaves in the context of a token whose signature is good. */
export interface WithJwt {
  jwt?: { payload: Claims };
}

/**
 * Verifies the signature of a token that was screened, and leaves its claims in the context. jose does it where
 * plugin-jwt cannot: that has no Ed25519, and looks for a key by its `kid` alone.
 * @param keys the set that it is verified with
 * @param runPlugin runs plugin-jwt on the request
 * @throws {GatewayError} `UNAUTHENTICATED`: what is refused after everything else was checked, is for the signature
 */
export async function verifySignature(
  token: string,
  { header, claims }: DecodedToken,
  keys: KeySet | undefined,
  context: WithJwt,
  runPlugin: () => unknown,
): Promise<void> {
  try {
    if (!isEdwards(header.alg) && header.kid !== undefined) return void (await runPlugin());
    const key = keys && findKey(keys, header.kid, header.alg);
    if (!key) throw invalidToken('unknown-key');
    await compactVerify(token, key.publicKey, { algorithms: [String(header.alg)] });
    context.jwt = { payload: claims };
  } catch (error) {
    throw error instanceof GatewayError ? error : invalidToken('signature', error);
  }
}

const found = (token: string | undefined) => (token === undefined ? undefined : { token });

// Its types know PEM text only; jsonwebtoken takes a key object as well, and need not parse it for each token.
const asText = (key: KeyObject | undefined) => key as unknown as string;
