import './sign-in-menu.css';
import { useId, useState } from 'react';
import { PasteToken } from './paste-token.tsx';
import { ScopeChoice } from './scope-choice.tsx';
import { canSignIn } from './settings.ts';
import { signIn, signOut } from './sign-in.ts';
import { useSession } from './use-session.ts';

/** A sign-in by a click, and what went wrong with it. */
function useSignIn() {
  const [fault, setFault] = useState<string>();
  const begin = () => {
    setFault(undefined);
    signIn().catch((error: Error) => setFault(error.message));
  };
  return { fault, begin };
}

const until = (expiresAt: number) =>
  Number.isFinite(expiresAt)
    ? ` until ${new Date(expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`
    : '';

/** The button to sign in; behind it the scopes, who is signed in, and the way out. */
export function SignInMenu() {
  const { session, expired } = useSession();
  const { fault, begin } = useSignIn();
  const id = useId();
  const able = canSignIn();
  return (
    <div className="sign-in">
      <span className="sign-in-status" role="status">
        {fault ?? (expired ? 'Your session has expired.' : '')}
      </span>
      {!session && able && (
        <button type="button" className="sign-in-button" onClick={begin}>
          Sign in
        </button>
      )}
      <button type="button" className="sign-in-toggle" popoverTarget={id}>
        {session ? session.name : able ? 'Scopes' : 'Access token'}
      </button>
      <div id={id} popover="auto" className="sign-in-menu">
        {session && (
          <p>
            Signed in as <strong>{session.name}</strong>
            {until(session.expiresAt)}, with {session.scopes.join(', ') || 'no scopes'}.
          </p>
        )}
        {able && <ScopeChoice />}
        <div className="sign-in-actions">
          {able && (
            <button type="button" className="sign-in-button" onClick={begin}>
              {session ? 'Sign in again with these' : 'Sign in with these'}
            </button>
          )}
          {session && (
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
        <PasteToken isOnlyWay={!able} />
      </div>
    </div>
  );
}
