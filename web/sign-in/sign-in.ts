import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { awaitCallback } from './await-callback.ts';
import { callbackUrl, channelName } from './callback-channel.ts';
import { readToken } from './read-token.ts';
import { endSession, getSession, type Session, startSession } from './session.ts';
import { type SignInSettings, settings } from './settings.ts';

const serverOf = (provider: SignInSettings): AuthorizationServer => ({
  issuer: provider.issuer,
  authorization_endpoint: provider.authorizationEndpoint,
  token_endpoint: provider.tokenEndpoint,
  authorization_response_iss_parameter_supported: provider.issParameter,
});

/** After a sign-out the provider is to ask who it is, and not to take the one that it remembers. */
let askAgain = false;
let attempt = new AbortController();

async function authorizationUrl(provider: SignInSettings, scopes: readonly string[], verifier: string) {
  const state = generateRandomState();
  const url = new URL(provider.authorizationEndpoint);
  const requested = settings.scopes.filter(({ name }) => scopes.includes(name));
  // One name of the provider's may stand for several scopes.
  const names = new Set(requested.flatMap(({ requestedAs }) => requestedAs));
  const parameters = {
    ...provider.parameters,
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: callbackUrl(),
    scope: [...names].join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(askAgain && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, state };
}

/** The tokens for a code (RFC 6749, section 4.1.3). */
async function exchange(provider: SignInSettings, answer: URLSearchParams, state: string, verifier: string) {
  const server = serverOf(provider);
  const client = { client_id: provider.clientId };
  const parameters = validateAuthResponse(server, client, answer, state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    parameters,
    callbackUrl(),
    verifier,
    // Only an identity provider on this machine has an issuer without TLS.
    {
      additionalParameters: provider.parameters,
      [allowInsecureRequests]: provider.issuer.startsWith('http:'),
    },
  );
  return processAuthorizationCodeResponse(server, client, response);
}

/** What a person is told where the provider or the browser refuses. */
function toSentence(error: unknown): Error {
  const { error: code, error_description: description } = error as Record<string, string | undefined>;
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Error(`The identity provider refuses: ${description ?? code}.`, { cause: error });
}

/**
 * Lets a person sign in, in a window of its own, so that the page keeps what is on it: authorization code with PKCE
 * (RFC 7636), as a public client. To be called while a click or a key is handled, or the browser blocks the window.
 * @param scopes what is asked for, in Keyward's names
 * @throws {Error} with a sentence for a person
 */
export async function signIn(scopes: readonly string[] = getSession().chosenScopes): Promise<Session> {
  const provider = settings.signIn;
  if (!provider) throw new Error('No client is registered for these pages: paste an access token.');
  attempt.abort();
  attempt = new AbortController();
  const { signal } = attempt;
  const verifier = generateRandomCodeVerifier();
  const { url, state } = await authorizationUrl(provider, scopes, verifier);
  const popup = window.open(url, channelName, 'popup,width=480,height=680');
  if (!popup) throw new Error('The browser has blocked the window for signing in: allow it for this page.');
  try {
    const answer = await awaitCallback(popup, state, signal);
    const tokens = await exchange(provider, answer, state, verifier);
    askAgain = false;
    return startSession(readToken(tokens.access_token, getValidatedIdTokenClaims(tokens)));
  } catch (error) {
    throw toSentence(error);
  }
}

/**
 * Takes an access token that a person has from elsewhere.
 * @throws {Error} with a sentence for a person
 */
export const pasteToken = (token: string): Session => startSession(readToken(token.trim()));

/** Forgets the token. The identity provider asks at the next sign-in who it is. */
export function signOut(): void {
  askAgain = true;
  endSession();
}
