import { useState } from 'preact/compat';
import { PasteToken } from '../../sign-in/paste-token.tsx';
import { canSignIn } from '../../sign-in/settings.ts';
import { signIn } from '../../sign-in/sign-in.ts';
import { Button } from '../ui/button.tsx';

interface SignInButtonProps {
  readonly label: string;
  /** The scopes to request. Default: the scopes that the person chose. */
  readonly scopes?: readonly string[] | undefined;
  /** How much the button stands out. Default: `primary`. */
  readonly look?: 'primary' | 'plain';
}

/** Signs in, in a window of its own, so that everything on this page stays. */
export function SignInButton({ label, scopes, look = 'primary' }: SignInButtonProps) {
  const [fault, setFault] = useState('');
  if (!canSignIn()) return <PasteToken isOnlyWay />;
  const begin = () => {
    setFault('');
    signIn(scopes).catch((error: Error) => setFault(error.message));
  };
  return (
    <>
      <Button look={look} onClick={begin}>
        {label}
      </Button>
      <p className="issue" role="status">
        {fault}
      </p>
    </>
  );
}
