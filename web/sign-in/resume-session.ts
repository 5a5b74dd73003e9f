import { forgetSignIn, keepQuestion, type Question, rememberSignIn, takeQuestion } from './kept-sign-in.ts';
import { chooseScopes, endSession, startSession } from './session.ts';
import { canSignIn, type SignInSettings, settings } from './settings.ts';

/** Goes to the provider, in place of this page, to find out who is signed in there. It returns at once, without asking. */
async function ask(provider: SignInSettings, scopes: readonly string[]): Promise<void> {
  const { beginSignIn } = await import('./provider.ts');
  const { url, ...asked } = await beginSignIn(provider, scopes, 'none');
  keepQuestion({ ...asked, scopes, page: location.href });
  location.replace(url);
}

async function resume(provider: SignInSettings, { scopes, answer, ...asked }: Question): Promise<void> {
  const { endSignIn } = await import('./provider.ts');
  startSession(await endSignIn(provider, new URLSearchParams(answer), asked));
  chooseScopes(scopes);
  rememberSignIn(scopes);
}

/**
 * Signs a person in again after a reload, or after another page in this tab. The token is kept only in memory, but the
 * provider still knows the person. The provider opens in place of the page, not in a frame, where most browsers block
 * its cookies. If this fails, the person has to sign in.
 */
export async function resumeSession(): Promise<void> {
  const provider = settings.signIn;
  if (!provider || !canSignIn()) return endSession();
  const question = takeQuestion();
  const scopes = forgetSignIn();
  try {
    if (question?.answer !== undefined) await resume(provider, question);
    else if (scopes) await ask(provider, scopes);
    else endSession();
  } catch {
    endSession();
  }
}
