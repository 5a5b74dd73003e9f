import { forgetSignIn, keepQuestion, type Question, rememberSignIn, takeQuestion } from './kept-sign-in.ts';
import { chooseScopes, endSession, startSession } from './session.ts';
import { canSignIn, type SignInSettings, settings } from './settings.ts';

/** Asks the provider, in place of this page, who is signed in there; it answers at once, and asks nobody. */
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
 * Signs in again who was signed in before the page was loaded anew or another one was shown in this tab: the token is
 * kept in memory alone, and the provider knows the person. It is asked in place of the page, not in a frame within it,
 * where most browsers keep its cookies back. Once it has not worked, it is left to the person.
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
