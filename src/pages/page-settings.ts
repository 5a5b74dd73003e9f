import { z } from 'zod';
import { accountAdmin, type Scope, scopeDescriptions } from '../auth/scopes.ts';
import { fetchIssuerMetadata } from '../auth/trusted-issuer.ts';
import type { BrowserClient, IssuerConfig } from '../config/config.ts';

const metadataSchema = z.object({
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/** What a page needs to know to sign a person in (RFC 8414, RFC 7636). */
export interface SignInSettings extends BrowserClient {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Whether the provider names itself when it sends a person back (RFC 9207). */
  readonly issParameter: boolean;
}

/** The bounds of what a person types, as they are configured. */
export interface InputBounds {
  /** Of a session's duration in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
}

/** Reads from the identity provider where a page signs in at it. */
export async function readSignInSettings(issuer: string, client: BrowserClient): Promise<SignInSettings> {
  const metadata = metadataSchema.parse(await fetchIssuerMetadata(issuer));
  return {
    ...client,
    issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    issParameter: metadata.authorization_response_iss_parameter_supported,
  };
}

/** The scopes that operations require as a page offers them: what they are for, and how the provider calls them. */
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
