import { z } from 'zod';
import type { IssuerConfig } from '../config/config.ts';
import { fetchJson } from './fetch-json.ts';
import { type KeySet, parseVerificationKey, UnusableKeySet } from './verification-key.ts';
import { type ReadReport, VerificationKeys } from './verification-keys.ts';

/** An issuer whose access tokens are accepted, and the keys that verify them. */
export interface TrustedIssuer {
  readonly config: IssuerConfig;
  readonly keys: VerificationKeys;
}

/**
 * Begins to trust an issuer. Its keys are read when they are first needed, or by `keys.refresh()`.
 * @param report told how reads of its keys go
 */
export const trustIssuer = (config: IssuerConfig, report: ReadReport): TrustedIssuer => ({
  config,
  keys: new VerificationKeys(createKeyReader(config), report),
});

const keysSchema = z.object({ jwks_uri: z.url() });
const issuerSchema = z.object({ issuer: z.string() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/**
 * A function that reads an issuer's verification keys. Where they are is found out each time: an issuer may begin to
 * sign with keys that it publishes elsewhere. Where it does not tell, they are read where they were before.
 */
export function createKeyReader({ issuer, jwksUri }: IssuerConfig): () => Promise<KeySet> {
  let found = jwksUri;
  return async () => {
    found = jwksUri ?? (await discoverJwksUri(issuer).catch(orElse(found)));
    return fetchVerificationKeys(found);
  };
}

/** What is taken in place of what failed, where there is something. */
const orElse =
  <T>(value: T | undefined) =>
  (error: unknown): T => {
    if (value === undefined) throw error;
    return value;
  };

const discoverJwksUri = async (issuer: string): Promise<string> =>
  keysSchema.parse(await fetchIssuerMetadata(issuer)).jwks_uri;

/**
 * What an issuer publishes of itself, by OpenID Connect Discovery.
 * @throws {Error} where it cannot be read, or names another issuer
 */
export async function fetchIssuerMetadata(issuer: string): Promise<unknown> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await fetchJson(url);
  const named = issuerSchema.parse(metadata).issuer;
  if (named !== issuer) throw new Error(`${url} names the issuer ${named}`);
  return metadata;
}

/**
 * The usable verification keys of a JWK Set (RFC 7517), by `kid`.
 * @throws {Error} where it cannot be read, or holds none
 */
async function fetchVerificationKeys(jwksUri: string): Promise<KeySet> {
  const { keys } = keySetSchema.parse(await fetchJson(jwksUri));
  const usable = keys.map(parseVerificationKey).filter((key) => key !== undefined);
  if (usable.length === 0) throw new UnusableKeySet(keys);
  return new Map(usable.map((key) => [key.kid, key]));
}
