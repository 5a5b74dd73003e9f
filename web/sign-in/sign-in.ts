import { pageLanguage } from '../shared/page-language.ts';
import { forgetAccount } from './account.ts';
import { awaitCallback } from './await-callback.ts';
import { channelName } from './callback-channel.ts';
import { forgetSignIn, rememberSignIn } from './kept-sign-in.ts';
import { readToken } from './read-token.ts';
import { endSession, getSession, type Session, startSession } from './session.ts';
import { settings } from './settings.ts';

/** The OAuth code loads after the page, so that the page need not wait for it, and before anybody clicks. */
const loadProtocol = () => import('./provider.ts');
addEventListener('load', () => void loadProtocol().catch(() => {}));

/** Set after a sign-out: the provider must then ask who signs in, and not take the person that it remembers. */
let askAgain = false;
let attempt = new AbortController();

/** The message for a person if the provider or the browser refuses. */
function toSentence(error: unknown): Error {
  const { error: code, error_description: description } = error as Record<string, string | undefined>;
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const reason = description ?? code;
  return new Error(pageLanguage().text('sign-in.refused', { reason }), { cause: error });
}

/**
 * Lets a person sign in, in a window of its own, so that the page keeps what is on it. Call it while a click or a key
 * press is handled; otherwise the browser blocks the window.
 * @param scopes the scopes to request, in Keyward's names
 * @throws {Error} with a sentence for a person
 */
export async function signIn(scopes: readonly string[] = getSession().chosenScopes): Promise<Session> {
  const { text } = pageLanguage();
  const { beginSignIn, endSignIn } = await loadProtocol().catch(() => {
    throw new Error(text('sign-in.unreachable'));
  });
  const { signIn: client } = settings;
  if (!client) throw new Error(text('sign-in.not-set-up'));
  attempt.abort();
  attempt = new AbortController();
  const { signal } = attempt;
  const { url, ...asked } = await beginSignIn(client, scopes, askAgain ? 'login' : undefined);
  const popup = window.open(url, channelName, 'popup,width=480,height=680');
  if (!popup) throw new Error(text('sign-in.window-blocked'));
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
 * Starts a session with an access token that a person got elsewhere.
 * @throws {Error} with a sentence for a person
 */
export function pasteToken(token: string): Session {
  forgetSignIn();
  return startSession(readToken(token.trim()));
}

/** Ends the session. At the next sign-in, the identity provider asks who signs in. */
export function signOut(): void {
  askAgain = true;
  forgetSignIn();
  forgetAccount();
  endSession();
}
