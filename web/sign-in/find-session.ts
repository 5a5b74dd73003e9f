import { getSession, type Session } from './session.ts';
import { canSignIn } from './settings.ts';
import { signIn } from './sign-in.ts';

/**
 * The session. A person who is not signed in is asked to sign in. If they refuse, the request goes without a token and
 * shows what such a caller gets.
 */
export async function findSession(): Promise<Session | undefined> {
  const { session } = getSession();
  if (session || !canSignIn()) return session;
  return signIn().catch(() => undefined);
}
