import { z } from 'zod';
import { fetchJson } from './fetch-json.ts';
import { parseVerificationKey, type VerificationKey } from './verification-key.ts';

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/**
 * Where an issuer publishes its verification keys, by OpenID Connect Discovery.
 * @throws {Error} where its metadata cannot be read, or names another issuer
 */
export async function discoverJwksUri(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = metadataSchema.parse(await fetchJson(url));
  if (metadata.issuer !== issuer) throw new Error(`${url} names the issuer ${metadata.issuer}`);
  return metadata.jwks_uri;
}

/**
 * The usable verification keys of a JWK Set (RFC 7517), by `kid`.
 * @throws {Error} where it cannot be read
 */
export async function fetchVerificationKeys(jwksUri: string): Promise<ReadonlyMap<string, VerificationKey>> {
  const { keys } = keySetSchema.parse(await fetchJson(jwksUri));
  const usable = keys.map(parseVerificationKey).filter((key) => key !== undefined);
  return new Map(usable.map((key) => [key.kid, key]));
}
