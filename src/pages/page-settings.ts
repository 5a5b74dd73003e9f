import { z } from 'zod';
import { accountAdmin, type Scope, scopeDescriptions } from '../auth/scopes.ts';
import { fetchIssuerMetadata } from '../auth/trusted-issuer.ts';
import type { BrowserClient, IssuerConfig } from '../config/config.ts';
import { url } from '../config/values/kinds.ts';

const metadataSchema = z.object({
  authorization_endpoint: url,
  token_endpoint: url,
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/**
 * Reads the endpoints for the sign-in from the identity provider's metadata.
 * @throws if the provider does not answer or its metadata lacks an endpoint
 */
export async function readSignInSettings(issuer: string, client: BrowserClient) {
  const metadata = metadataSchema.parse(await fetchIssuerMetadata(issuer));
  return {
    ...client,
    issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    /** Whether the provider sends its issuer identifier with its answer (RFC 9207). */
    issParameter: metadata.authorization_response_iss_parameter_supported,
  };
}

/** The settings with which a page signs a person in (RFC 8414, RFC 7636). */
export type SignInSettings = Awaited<ReturnType<typeof readSignInSettings>>;

/** Describes the required scopes for a page: the purpose of each, and the provider's names for it. */
export function describeScopes({ scopeAliases }: IssuerConfig, scopes: readonly Scope[]) {
  const requestedAs = (scope: Scope) => {
    const theirs = [...scopeAliases].filter(([, ours]) => ours.includes(scope)).map(([name]) => name);
    return theirs.length > 0 ? theirs : [scope];
  };
  return scopes.map((name) => ({
    name,
    description: scopeDescriptions[name],
    requestedAs: requestedAs(name),
    byDefault: (accountAdmin as readonly Scope[]).includes(name),
  }));
}
