import './sign-in-menu.css';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import { timeOfDay } from '../shared/times.ts';
import { PasteToken } from './paste-token.tsx';
import { ScopeChoice } from './scope-choice.tsx';
import type { Session } from './session.ts';
import { canSignIn, offersOperators, operatorScope } from './settings.ts';
import { signIn, signOut } from './sign-in.ts';
import { useSession } from './use-session.ts';

/** A sign-in by a click, and what went wrong with it. */
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
  /** Whether scopes and tokens are spoken of: who tries an API out wants them, who manages keys does not. */
  readonly forDevelopers: boolean;
}

/** The button to sign in; behind the other one who is signed in, the way out, and for developers the scopes. */
export function SignInMenu({ forDevelopers }: SignInMenuProps) {
  const { session, resuming, expired } = useSession();
  const { fault, begin } = useSignIn();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const able = canSignIn();
  const hidden = able ? 'Scopes' : 'Access token';
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes because another session began, or none is left.
  useEffect(() => menu.current?.hidePopover(), [session]);
  return (
    <div className="sign-in">
      <span className="sign-in-status" role="status">
        {fault ?? (expired ? 'Your session has expired.' : '')}
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

/** The way out, and the way to the operators' view for somebody who is not signed in as one. */
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
  session: { name, expiresAt, scopes },
  withScopes,
}: {
  readonly session: Session;
  readonly withScopes: boolean;
}) => (
  <p>
    Signed in as <strong>{name}</strong>
    {until(expiresAt)}
    {withScopes && `, with ${scopes.join(', ') || 'no scopes'}`}.
  </p>
);
