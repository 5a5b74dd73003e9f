import './sign-in-menu.css';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import { timeOfDay } from '../shared/times.ts';
import { PasteToken } from './paste-token.tsx';
import { ScopeChoice } from './scope-choice.tsx';
import type { Session } from './session.ts';
import { canSignIn, offersOperators, operatorScope } from './settings.ts';
import { signIn, signOut } from './sign-in.ts';
import { useSession } from './use-session.ts';

/** A sign-in by a click, and its error. */
function useSignIn() {
  const [fault, setFault] = useState<string>();
  const begin = (scopes?: readonly string[]) => {
    setFault(undefined);
    signIn(scopes).catch((error: Error) => setFault(error.message));
  };
  return { fault, begin };
}

const until = (expiresAt: number) =>
  Number.isFinite(expiresAt) ? ` until ${timeOfDay(new Date(expiresAt))}` : '';

interface SignInMenuProps {
  /** Whether to show scopes and tokens: developers who try the API need them, people who manage keys do not. */
  readonly forDevelopers: boolean;
}

/** The button to sign in, and a menu with who is signed in, *Sign out* and, for developers, the scopes. */
export function SignInMenu({ forDevelopers }: SignInMenuProps) {
  const { session, resuming, expired } = useSession();
  const { fault, begin } = useSignIn();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const able = canSignIn();
  const hidden = able ? 'Scopes' : 'Access token';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when a session begins or ends.
  useEffect(() => menu.current?.hidePopover(), [session]);
  return (
    <div className="sign-in">
      <span className="sign-in-status" role="status">
        {fault ?? (expired ? 'Your sign-in has expired.' : '')}
      </span>
      {!session && !resuming && able && (
        <button type="button" className="sign-in-button" onClick={() => begin()}>
          Sign in
        </button>
      )}
      {(session || !able || forDevelopers) && (
        <button type="button" className="sign-in-toggle" popoverTarget={id}>
          {session?.name ?? hidden}
        </button>
      )}
      <div ref={menu} id={id} popover="auto" className="sign-in-menu">
        {session && <SignedIn session={session} withScopes={forDevelopers} />}
        {able && forDevelopers && <ScopeChoice again={session !== undefined} onSignIn={() => begin()} />}
        {(forDevelopers || !able) && <PasteToken isOnlyWay={!able} />}
        {session && <Exits session={session} forDevelopers={forDevelopers} onSignIn={begin} />}
      </div>
    </div>
  );
}

interface ExitsProps extends SignInMenuProps {
  readonly session: Session;
  readonly onSignIn: (scopes: readonly string[]) => void;
}

/** The buttons to sign out and, unless the person is an operator already, to sign in as one. */
function Exits({ session, forDevelopers, onSignIn }: ExitsProps) {
  const { chosenScopes } = useSession();
  const isOperator = session.scopes.includes(operatorScope);
  const become = () => {
    location.hash = '#operate';
    onSignIn([...chosenScopes, operatorScope]);
  };
  return (
    <div className="exits">
      {offersOperators && !isOperator && !forDevelopers && canSignIn() && (
        <button type="button" onClick={become}>
          Sign in as an operator
        </button>
      )}
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

const SignedIn = ({
  session: { name, expiresAt, scopes, renew },
  withScopes,
}: {
  readonly session: Session;
  readonly withScopes: boolean;
}) => (
  <p>
    Signed in as <strong>{name}</strong>
    {renew ? '' : until(expiresAt)}
    {withScopes && `, with ${scopes.join(', ') || 'no scopes'}`}.
  </p>
);
