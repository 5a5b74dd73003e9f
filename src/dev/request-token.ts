import { z } from 'zod';
import { fetchIssuerMetadata } from '../auth/trusted-issuer.ts';
import { developmentSubjectGrant } from './issuer.ts';
import type { OrganizationRoles } from './organization-roles.ts';

/** A request for an access token. */
export interface TokenRequest {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  /** The scopes, separated by spaces; if missing, all scopes of the provider. */
  readonly scope?: string | undefined;
  /** The organisations that the subject belongs to; if missing, none. */
  readonly organizations?: OrganizationRoles | undefined;
}

const metadataSchema = z.object({ token_endpoint: z.url() });
const tokenSchema = z.object({ access_token: z.string() });
const errorSchema = z.object({ error: z.string(), error_description: z.string().optional() });

// In milliseconds. A development provider runs on this machine, so it will not answer later than this.
const timeout = 5_000;

/** Reads the provider's metadata. */
async function discover(issuer: string) {
  try {
    return metadataSchema.parse(await fetchIssuerMetadata(issuer));
  } catch (cause) {
    throw new Error(`No identity provider answers at ${issuer}. Start Keyward first: npm start`, { cause });
  }
}

const refusal = (answer: unknown, status: number) => {
  const { data } = errorSchema.safeParse(answer);
  if (data === undefined) return `The identity provider answered ${status} without a token`;
  return data.error_description === undefined ? data.error : `${data.error}: ${data.error_description}`;
};

/**
 * Gets an access token for any subject from the development identity provider.
 * @returns the access token, a JWT
 * @throws {Error} if no provider answers or the provider refuses; the message is a sentence for a person
 */
export async function requestToken(request: TokenRequest): Promise<string> {
  const { issuer, clientId, subject, scope, organizations } = request;
  const { token_endpoint } = await discover(issuer);
  const parameters = {
    grant_type: developmentSubjectGrant,
    client_id: clientId,
    subject,
    ...(scope !== undefined && { scope }),
    ...(organizations !== undefined && { organizations: JSON.stringify(organizations) }),
  };
  const response = await fetch(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(timeout),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const { data } = tokenSchema.safeParse(answer);
  if (data === undefined) throw new Error(refusal(answer, response.status));
  return data.access_token;
}
