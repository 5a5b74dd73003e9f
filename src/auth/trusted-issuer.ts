import { z } from 'zod';
import type { IssuerConfig } from '../config/config.ts';
import { fetchJson } from './fetch-json.ts';
import { type KeySet, parseVerificationKey, UnusableKeySet } from './verification-key.ts';
import { type ReadReport, VerificationKeys } from './verification-keys.ts';

/**
 * Begins to trust an issuer. The service reads the issuer's keys at the first token, or when `keys.refresh()` is
 * called.
 * @param report receives the outcomes of these reads
 */
export const trustIssuer = (config: IssuerConfig, report: ReadReport) => ({
  config,
  keys: new VerificationKeys(createKeyReader(config), report),
});

/** An issuer whose access tokens this service accepts, and the keys that verify them. */
export type TrustedIssuer = Readonly<ReturnType<typeof trustIssuer>>;

const keysSchema = z.object({ jwks_uri: z.url() });
const issuerSchema = z.object({ issuer: z.string() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/**
 * Makes a function that reads an issuer's verification keys. Each call looks up the address of the keys again,
 * because an issuer may move its keys. If this look-up fails, the function reads the keys at their last address.
 */
export function createKeyReader({ issuer, jwksUri }: IssuerConfig): () => Promise<KeySet> {
  let found = jwksUri;
  return async () => {
    try {
      found = jwksUri ?? keysSchema.parse(await fetchIssuerMetadata(issuer)).jwks_uri;
    } catch (error) {
      if (found === undefined) throw error;
    }
    return fetchVerificationKeys(found);
  };
}

/**
 * Reads an issuer's metadata (OpenID Connect Discovery).
 * @throws {Error} if the metadata cannot be read or names another issuer
 */
export async function fetchIssuerMetadata(issuer: string): Promise<unknown> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await fetchJson(url);
  const named = issuerSchema.parse(metadata).issuer;
  if (named !== issuer) throw new Error(`${url} names the issuer ${named}`);
  return metadata;
}

/**
 * Reads the usable verification keys of a JWK Set (RFC 7517).
 * @throws {Error} if the set cannot be read or has no usable key
 */
async function fetchVerificationKeys(jwksUri: string): Promise<KeySet> {
  const { keys } = keySetSchema.parse(await fetchJson(jwksUri));
  const usable = keys.map(parseVerificationKey).filter((key) => key !== undefined);
  if (usable.length === 0) throw new UnusableKeySet(keys);
  return usable;
}
