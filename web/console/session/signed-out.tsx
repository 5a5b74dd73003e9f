import { useEffect } from 'preact/compat';
import { SignInButton } from './sign-in-button.tsx';

/** What the console shows to somebody who is not signed in. */
export function SignedOut() {
  useEffect(() => {
    document.title = 'Console · Keyward';
  }, []);
  return (
    <main className="signed-out">
      <h1>Your keys and settings</h1>
      <p className="lead">
        Create and rotate API keys, register a private key, set up automation, and see what changed.
      </p>
      <SignInButton label="Sign in" />
    </main>
  );
}
