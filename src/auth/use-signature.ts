import type { KeyObject } from 'node:crypto';
import { useJWT } from '@graphql-yoga/plugin-jwt';
import type { Plugin } from 'graphql-yoga';
import { compactVerify } from 'jose/jws/compact/verify';
import type { SignatureAlgorithm } from '../config/issuers.ts';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { readBearer } from '../http/read-request.ts';
import type { DecodedToken } from './access-token.ts';
import { invalidToken } from './challenge.ts';
import type { Claims } from './claims.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { findKey, type KeySet, keysOf } from './verification-key.ts';

/** The algorithms that jsonwebtoken, the library behind plugin-jwt, lacks. */
type Edwards = 'EdDSA' | 'Ed25519';

const isEdwards = (algorithm: unknown): algorithm is Edwards =>
  algorithm === 'EdDSA' || algorithm === 'Ed25519';

const isKnownToPlugin = (algorithm: SignatureAlgorithm): algorithm is Exclude<SignatureAlgorithm, Edwards> =>
  !isEdwards(algorithm);

/**
 * Configures plugin-jwt for one issuer. Alone, plugin-jwt verifies too little: it accepts HS256, answers an unknown
 * `kid` with 500 and `bearer` with 400, and requires no issuer, audience, expiry or subject. So it gets only tokens
 * that passed {@link screenToken}, with the same bytes; only the signature remains to be verified.
 */
export const useSignature = ({ config, keys }: TrustedIssuer): Plugin =>
  useJWT({
    tokenLookupLocations: [({ serverContext }) => found(readBearer((serverContext as WithHeaders).headers))],
    signingKeyProviders: [(kid) => asText(keys.current && keysOf(keys.current, kid)[0]?.publicKey)],
    // The earlier check of the expiry is exact to the second; this one must not be stricter, so it allows a second
    // more.
    tokenVerification: {
      algorithms: config.algorithms.filter(isKnownToPlugin),
      issuer: config.issuer,
      clockTolerance: 61,
    },
    reject: { missingToken: false, invalidToken: true },
  });

/** The context of a request, in GraphQL and in REST. */
type WithHeaders = Pick<Exchange, 'headers'>;

/** The part of the context that plugin-jwt sets for a token with a valid signature. */
export interface WithJwt {
  jwt?: { payload: Claims };
}

/**
 * Verifies the signature of a screened token and puts the token's claims into the context. jose does this if
 * plugin-jwt cannot: plugin-jwt lacks Ed25519, and finds a key only by its `kid`, which several may have.
 * @param keys the key set for the verification
 * @param runPlugin runs plugin-jwt on the request
 * @throws {GatewayError} `UNAUTHENTICATED`; an unforeseen error counts as a bad signature, because all other checks
 *   passed before
 */
export async function verifySignature(
  token: string,
  { header, claims }: DecodedToken,
  keys: KeySet | undefined,
  context: WithJwt,
  runPlugin: () => unknown,
): Promise<void> {
  try {
    const isNamed = keys !== undefined && keysOf(keys, header.kid).length === 1;
    if (!isEdwards(header.alg) && isNamed) return void (await runPlugin());
    const key = keys && findKey(keys, header.kid, header.alg);
    if (!key) throw invalidToken('unknown-key');
    await compactVerify(token, key.publicKey, { algorithms: [String(header.alg)] });
    context.jwt = { payload: claims };
  } catch (error) {
    throw error instanceof GatewayError ? error : invalidToken('signature', error);
  }
}

const found = (token: string | undefined) => (token === undefined ? undefined : { token });

// The plugin's types allow only PEM text. jsonwebtoken also accepts a key object, and then parses no key at each
// token.
const asText = (key: KeyObject | undefined) => key as unknown as string;
