import type { KeyObject } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import { readBearerToken } from './bearer-token.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';

/**
 * plugin-jwt for one issuer. On its own it verifies too little: it takes HS256, answers an unknown `kid` with 500 and
 * `bearer` with 400, and asks for no issuer, audience, expiry or subject. So it is only run for a token that was
 * screened for all of that, on the same bytes; what is left to it is the signature.
 */
async function useSignature({ config, keys }: TrustedIssuer): Promise<Plugin> {
  // Loaded with the first token, so that a start need not wait for it.
  const { useJWT } = await import('@graphql-yoga/plugin-jwt');
  return useJWT({
    tokenLookupLocations: [({ request }) => found(readBearerToken(request.headers))],
    signingKeyProviders: [(kid) => asText(keys.current?.get(kid ?? '')?.publicKey)],
    // Expiry was checked to the second before; here it may only not be stricter.
    tokenVerification: { algorithms: [...config.algorithms], issuer: config.issuer, clockTolerance: 61 },
    reject: { missingToken: false, invalidToken: true },
  });
}

/** plugin-jwt for each issuer, made when its first token comes. */
export function createSignatures() {
  const plugins = new Map<TrustedIssuer, Promise<Plugin>>();
  let yogaInit: unknown;
  const start = async (issuer: TrustedIssuer): Promise<Plugin> => {
    const plugin = await useSignature(issuer);
    plugin.onYogaInit?.(yogaInit as never);
    return plugin;
  };
  return {
    onYogaInit: (payload: unknown): void => {
      yogaInit = payload;
    },
    of: (issuer: TrustedIssuer): Promise<Plugin> => {
      const plugin = plugins.get(issuer) ?? start(issuer);
      plugins.set(issuer, plugin);
      return plugin;
    },
  };
}

const found = (token: string | undefined) => (token === undefined ? undefined : { token });

// Its types know PEM text only; jsonwebtoken takes a key object as well, and need not parse it for each token.
const asText = (key: KeyObject | undefined) => key as unknown as string;
