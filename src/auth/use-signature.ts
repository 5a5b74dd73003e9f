import type { KeyObject } from 'node:crypto';
import { useJWT } from '@graphql-yoga/plugin-jwt';
import type { Plugin } from 'graphql-yoga';
import { readBearerToken } from './bearer-token.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';

/**
 * plugin-jwt for one issuer. On its own it verifies too little: it takes HS256, answers an unknown `kid` with 500 and
 * `bearer` with 400, and asks for no issuer, audience, expiry or subject. So it is only run for a token that was
 * screened for all of that, on the same bytes; what is left to it is the signature.
 */
export const useSignature = ({ config, keys }: TrustedIssuer): Plugin =>
  useJWT({
    tokenLookupLocations: [({ request }) => found(readBearerToken(request.headers))],
    signingKeyProviders: [(kid) => asText(keys.current?.get(kid ?? '')?.publicKey)],
    // Expiry was checked to the second before; here it may only not be stricter.
    tokenVerification: { algorithms: [...config.algorithms], issuer: config.issuer, clockTolerance: 61 },
    reject: { missingToken: false, invalidToken: true },
  });

const found = (token: string | undefined) => (token === undefined ? undefined : { token });

// Its types know PEM text only; jsonwebtoken takes a key object as well, and need not parse it for each token.
const asText = (key: KeyObject | undefined) => key as unknown as string;
