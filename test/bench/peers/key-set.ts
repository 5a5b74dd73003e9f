/** The address of an issuer's key set, by OpenID Connect Discovery. */
export async function discoverKeySet(issuer: string): Promise<string> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri } = (await response.json()) as { jwks_uri: string };
  return jwks_uri;
}
