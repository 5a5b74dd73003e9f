import './sign-in-menu.css';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import { pageLanguage } from '../shared/page-language.ts';
import { organizationName, retryAccounts } from './account.ts';
import { AccountChoice } from './account-choice.tsx';
import { PasteToken } from './paste-token.tsx';
import { ScopeChoice } from './scope-choice.tsx';
import type { Session } from './session.ts';
import { canSignIn, offersOperators, operatorScope } from './settings.ts';
import { signIn, signOut } from './sign-in.ts';
import { useAccount } from './use-account.ts';
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

interface SignInMenuProps {
  /** Whether to show scopes and tokens: developers who try the API need them, people who manage keys do not. */
  readonly forDevelopers: boolean;
}

/** The button to sign in, and a menu with who is signed in, *Sign out* and, for developers, the scopes. */
export function SignInMenu({ forDevelopers }: SignInMenuProps) {
  const { session, resuming, expired } = useSession();
  const { fault, begin } = useSignIn();
  const account = useAccount();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [, setOpened] = useState(0);
  const open = () => {
    retryAccounts();
    // The links in the menu lead to where the page is now.
    setOpened((times) => times + 1);
  };
  const { text } = pageLanguage();
  const able = canSignIn();
  const hidden = text(able ? 'sign-in.scopes' : 'sign-in.token');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when a session begins or ends, and with a choice.
  useEffect(() => menu.current?.hidePopover(), [session, account.organization]);
  return (
    <div className="sign-in">
      <span className="sign-in-status" role="status">
        {fault ?? (expired ? text('sign-in.expired') : '')}
      </span>
      {!session && !resuming && able && (
        <button type="button" className="sign-in-button" onClick={() => begin()}>
          {text('sign-in.sign-in')}
        </button>
      )}
      {(session || !able || forDevelopers) && (
        <button type="button" className="sign-in-toggle" popoverTarget={id}>
          {session ? <Current session={session} /> : hidden}
        </button>
      )}
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="sign-in-menu"
        onToggle={({ newState }) => newState === 'open' && open()}
      >
        {session && <SignedIn session={session} withScopes={forDevelopers} />}
        {able && forDevelopers && <ScopeChoice again={session !== undefined} onSignIn={() => begin()} />}
        {(forDevelopers || !able) && <PasteToken isOnlyWay={!able} />}
        {session && <Exits session={session} forDevelopers={forDevelopers} onSignIn={begin} />}
      </div>
    </div>
  );
}

/** For whom the page is used now: the organisation, or the person. */
const Current = ({ session }: { readonly session: Session }) => (
  <bdi>{organizationName(useAccount()) ?? session.name}</bdi>
);

interface ExitsProps extends SignInMenuProps {
  readonly session: Session;
  readonly onSignIn: (scopes: readonly string[]) => void;
}

/** The buttons to sign out and, unless the person is an operator already, to sign in as one. */
function Exits({ session, forDevelopers, onSignIn }: ExitsProps) {
  const { chosenScopes } = useSession();
  const { text } = pageLanguage();
  const isOperator = session.scopes.includes(operatorScope);
  const become = () => {
    location.hash = '#operate';
    onSignIn([...chosenScopes, operatorScope]);
  };
  return (
    <div className="exits">
      {offersOperators && !isOperator && !forDevelopers && canSignIn() && (
        <button type="button" onClick={become}>
          {text('sign-in.as-operator')}
        </button>
      )}
      <button type="button" onClick={signOut}>
        {text('sign-in.sign-out')}
      </button>
    </div>
  );
}

interface SignedInProps {
  readonly session: Session;
  readonly withScopes: boolean;
}

/** Who is signed in, until when, and with which scopes; and for whom the page can be used. */
function SignedIn({ session, withScopes }: SignedInProps) {
  const { rich, timeOfDay } = pageLanguage();
  const { name, expiresAt, scopes, renew } = session;
  return (
    <>
      <p>
        {rich('sign-in.signed-in', {
          name,
          strong: (content) => <strong>{content}</strong>,
          ends: renew || !Number.isFinite(expiresAt) ? 'no' : 'yes',
          end: timeOfDay(new Date(Number.isFinite(expiresAt) ? expiresAt : 0)),
          with: withScopes ? (scopes.length > 0 ? 'some' : 'none') : 'no',
          scopes: scopes.join(', '),
        })}
      </p>
      <AccountChoice session={session} />
    </>
  );
}
