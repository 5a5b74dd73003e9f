import { awaitCallback } from './await-callback.ts';
import { channelName } from './callback-channel.ts';
import { forgetSignIn, rememberSignIn } from './kept-sign-in.ts';
import { readToken } from './read-token.ts';
import { endSession, getSession, type Session, startSession } from './session.ts';
import { settings } from './settings.ts';

/** OAuth is not waited for by who looks at the page first: it comes once there is time for it, before a click does. */
const loadProtocol = () => import('./provider.ts');
addEventListener('load', () => void loadProtocol().catch(() => {}));

/** After a sign-out the provider is to ask who it is, and not to take the one that it remembers. */
let askAgain = false;
let attempt = new AbortController();

/** What a person is told where the provider or the browser refuses. */
function toSentence(error: unknown): Error {
  const { error: code, error_description: description } = error as Record<string, string | undefined>;
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Error(`The identity provider refuses: ${description ?? code}.`, { cause: error });
}

/**
 * Lets a person sign in, in a window of its own, so that the page keeps what is on it. To be called while a click or a
 * key is handled, or the browser blocks the window.
 * @param scopes what is asked for, in Keyward's names
 * @throws {Error} with a sentence for a person
 */
export async function signIn(scopes: readonly string[] = getSession().chosenScopes): Promise<Session> {
  const { beginSignIn, endSignIn } = await loadProtocol().catch(() => {
    throw new Error('Keyward cannot be reached. Check your connection and try again.');
  });
  const { signIn: client } = settings;
  if (!client) throw new Error('No client is registered for these pages: paste an access token.');
  attempt.abort();
  attempt = new AbortController();
  const { signal } = attempt;
  const { url, ...asked } = await beginSignIn(client, scopes, askAgain ? 'login' : undefined);
  const popup = window.open(url, channelName, 'popup,width=480,height=680');
  if (!popup) throw new Error('The browser has blocked the window for signing in: allow it for this page.');
  try {
    const session = await endSignIn(client, await awaitCallback(popup, asked.state, signal), asked);
    askAgain = false;
    rememberSignIn(scopes);
    return startSession(session);
  } catch (error) {
    throw toSentence(error);
  }
}

/**
 * Takes an access token that a person has from elsewhere.
 * @throws {Error} with a sentence for a person
 */
export function pasteToken(token: string): Session {
  forgetSignIn();
  return startSession(readToken(token.trim()));
}

/** Forgets the token. The identity provider asks at the next sign-in who it is. */
export function signOut(): void {
  askAgain = true;
  forgetSignIn();
  endSession();
}
