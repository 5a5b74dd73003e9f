import { getSession, type Session } from './session.ts';
import { canSignIn } from './settings.ts';
import { signIn } from './sign-in.ts';

/**
 * Who is signed in; a person who is not is asked to. Who does not want to goes on without a token, and sees what a
 * caller without one is answered.
 */
export async function findSession(): Promise<Session | undefined> {
  const { session } = getSession();
  if (session || !canSignIn()) return session;
  return signIn().catch(() => undefined);
}
