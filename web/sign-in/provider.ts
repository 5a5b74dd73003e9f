import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  getValidatedIdTokenClaims,
  type IDToken,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { callbackUrl } from './callback-channel.ts';
import type { Asked } from './kept-sign-in.ts';
import { readToken } from './read-token.ts';
import type { Session } from './session.ts';
import { type SignInSettings, settings } from './settings.ts';

const serverOf = (provider: SignInSettings): AuthorizationServer => ({
  issuer: provider.issuer,
  authorization_endpoint: provider.authorizationEndpoint,
  token_endpoint: provider.tokenEndpoint,
  authorization_response_iss_parameter_supported: provider.issParameter,
});

/**
 * Begins a sign-in: authorization code with PKCE (RFC 7636), as a public client.
 * @param scopes the scopes to request, in Keyward's names
 * @param prompt `login`: the provider must ask; `none`: it must not (OpenID Connect Core, 3.1.2.1)
 * @returns the URL for the person, and the values that check the response
 */
export async function beginSignIn(
  provider: SignInSettings,
  scopes: readonly string[],
  prompt?: 'login' | 'none',
): Promise<Asked & { readonly url: URL }> {
  const [state, verifier] = [generateRandomState(), generateRandomCodeVerifier()];
  const url = new URL(provider.authorizationEndpoint);
  const requested = settings.scopes.filter(({ name }) => scopes.includes(name));
  const parameters = {
    ...provider.parameters,
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: callbackUrl,
    // One name at the provider may stand for several scopes.
    scope: [...new Set(requested.flatMap(({ requestedAs }) => requestedAs))].join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, state, verifier };
}

/** Only an identity provider on this machine has an issuer without TLS. */
const transportOf = ({ issuer }: SignInSettings) => ({ [allowInsecureRequests]: issuer.startsWith('http:') });

/** What a renewal needs. It stays in memory, like the access token. */
interface Renewable {
  readonly refreshToken?: string | undefined;
  /** The claims of the last ID token. */
  readonly identity?: IDToken | undefined;
}

function toSession(provider: SignInSettings, tokens: TokenEndpointResponse, before: Renewable = {}): Session {
  // A provider may send both again with a renewal, or neither (RFC 6749, section 6).
  const refreshToken = tokens.refresh_token ?? before.refreshToken;
  const identity = getValidatedIdTokenClaims(tokens) ?? before.identity;
  const session = readToken(tokens.access_token, identity);
  if (refreshToken === undefined) return session;
  return { ...session, renew: () => renewSignIn(provider, refreshToken, identity) };
}

/**
 * Ends a sign-in: exchanges the code from the provider for the tokens (RFC 6749, section 4.1.3).
 * @throws {Error} if the provider refuses, or if the response does not match the request
 */
export async function endSignIn(
  provider: SignInSettings,
  answer: URLSearchParams,
  { state, verifier }: Asked,
): Promise<Session> {
  const server = serverOf(provider);
  const client = { client_id: provider.clientId };
  const parameters = validateAuthResponse(server, client, answer, state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    parameters,
    callbackUrl,
    verifier,
    { additionalParameters: provider.parameters, ...transportOf(provider) },
  );
  return toSession(provider, await processAuthorizationCodeResponse(server, client, response));
}

/** How long a renewal may take, in milliseconds. */
const renewalTime = 15_000;

/**
 * Gets a new access token with a refresh token (RFC 6749, section 6).
 * @throws {Error} if the provider refuses or does not answer
 */
async function renewSignIn(
  provider: SignInSettings,
  refreshToken: string,
  identity: IDToken | undefined,
): Promise<Session> {
  const server = serverOf(provider);
  const client = { client_id: provider.clientId };
  const response = await refreshTokenGrantRequest(server, client, None(), refreshToken, {
    additionalParameters: provider.parameters,
    signal: AbortSignal.timeout(renewalTime),
    ...transportOf(provider),
  });
  const tokens = await processRefreshTokenResponse(server, client, response);
  return toSession(provider, tokens, { refreshToken, identity });
}
