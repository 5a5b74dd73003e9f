import { useEffect } from 'preact/compat';
import { settings } from '../../sign-in/settings.ts';
import { SignInButton } from './sign-in-button.tsx';

const usual = 'Create and rotate API keys, register a private key, set up automation, and see what changed.';

/** What the console shows to somebody who is not signed in: whose service it is, and what it is for. */
export function SignedOut() {
  const { providerName, providerSentence = usual } = settings;
  useEffect(() => {
    document.title = `Console · ${providerName ?? 'Keyward'}`;
  }, []);
  return (
    <main className="signed-out">
      <h1 className="title">{providerName ? `Your keys for ${providerName}` : 'Your keys and settings'}</h1>
      <p className="lead">{providerSentence}</p>
      <SignInButton label="Sign in" />
    </main>
  );
}
