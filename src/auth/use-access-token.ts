import type { KeyObject } from 'node:crypto';
import { useJWT } from '@graphql-yoga/plugin-jwt';
import type { Plugin } from 'graphql-yoga';
import type { IssuerConfig } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { type AccessToken, type Claims, readAccessToken } from './access-token.ts';
import { parseBearerToken } from './bearer-token.ts';
import { invalidToken } from './challenge.ts';
import { decodeToken, screenClaims, screenHeader } from './screen-token.ts';
import type { VerificationKeys } from './verification-keys.ts';

/** What the plugin leaves in the context: undefined where the request carried no token. */
export interface WithAccessToken {
  accessToken?: AccessToken;
}

/** What plugin-jwt leaves there. */
interface WithJwt extends WithAccessToken {
  jwt?: { payload: Claims };
}

/**
 * Authenticates each request by its access token, on both transports; a request without one goes on as nobody's.
 * Throws one `UNAUTHENTICATED` for every token that will not do.
 * @param config the issuer that is trusted, and for what
 * @param keys its verification keys
 */
export function useAccessToken(config: IssuerConfig, keys: VerificationKeys): Plugin<WithJwt, WithJwt> {
  const jwt = useVerifiedJwt(config, keys);
  const authenticate = async (context: WithJwt, verify: () => unknown) => {
    try {
      await verify();
    } catch (error) {
      // All but the signature was checked before: what the plugin itself refuses, it refuses for that.
      throw error instanceof GatewayError ? error : invalidToken('signature', error);
    }
    if (context.jwt) context.accessToken ??= readAccessToken(context.jwt.payload, config);
  };
  return {
    onYogaInit: (payload) => jwt.onYogaInit?.(payload as never),
    onRequestParse: (payload) => authenticate(payload.serverContext, () => jwt.onRequestParse?.(payload)),
    onContextBuilding: async (payload) => {
      await authenticate(payload.context, () => jwt.onContextBuilding?.(payload));
    },
  };
}

/**
 * plugin-jwt on its own verifies too little: it takes HS256, answers an unknown `kid` with 500 and `bearer` with 400,
 * and asks for no issuer, audience, expiry or subject. So all of that is checked where it looks for the token, on the
 * same bytes; what is left to it is the signature.
 */
const useVerifiedJwt = (config: IssuerConfig, keys: VerificationKeys): Plugin =>
  useJWT({
    tokenLookupLocations: [({ request }) => findToken(request, config, keys)],
    signingKeyProviders: [(kid) => pluginKey(keys.get(kid ?? '')?.publicKey)],
    // Expiry was checked to the second before; here it may only not be stricter.
    tokenVerification: { algorithms: [...config.algorithms], issuer: config.issuer, clockTolerance: 61 },
    reject: { missingToken: false, invalidToken: true },
  });

async function findToken(request: Request, config: IssuerConfig, keys: VerificationKeys) {
  const token = parseBearerToken(request.headers.get('authorization'));
  if (token === undefined) return undefined;
  const { header, claims } = decodeToken(token);
  screenHeader(header, config);
  screenClaims(claims, config);
  const key = typeof header.kid === 'string' ? await keys.find(header.kid) : undefined;
  if (!key) throw invalidToken('unknown-key');
  if (!key.algorithms.some((algorithm) => algorithm === header.alg)) throw invalidToken('key-algorithm');
  return { token };
}

// Its types know PEM text only; jsonwebtoken takes a key object as well, and need not parse it for each token.
const pluginKey = (key: KeyObject | undefined) => key as unknown as string;
