import type { Problem } from '../api/problem.ts';
import { SupportLink } from '../layout/support-link.tsx';
import { Button } from './button.tsx';
import { useHost, useLanguage } from './host.ts';

interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  /** Repeats what failed. Left out if the form has its own button. */
  readonly onRetry?: () => void;
}

/** Says what went wrong, and offers the next step. An element offers no sign-in, and has no texts for it. */
export function ProblemNote({ problem, onRetry }: ProblemNoteProps) {
  const { useIsSignedIn, SignIn } = useHost();
  const { text, rich } = useLanguage();
  const isSignedIn = useIsSignedIn();
  if (!problem) return null;
  const { kind, message, requestId, scopes } = problem;
  if (kind === 'unauthenticated' && isSignedIn) return <SignedInAgain />;
  return (
    <div className="problem" role="alert">
      <p>{message}</p>
      {kind === 'server' && requestId !== null && (
        <p className="hint">{rich('common.request-id', { id: <code>{requestId}</code> })}</p>
      )}
      {kind === 'unauthenticated' && SignIn && <SignIn label={text('console.sign-in-again')} />}
      {kind === 'forbidden' && scopes.length > 0 && SignIn && (
        <SignIn label={text('console.sign-in-with-scopes')} scopes={scopes} />
      )}
      {isForProvider(problem) && <SupportLink />}
      {onRetry && !(SignIn && kind === 'unauthenticated') && (
        <Button onClick={onRetry}>{text('common.try-again')}</Button>
      )}
    </div>
  );
}

/** Whether only the provider can help: the service failed, or another sign-in would change nothing. */
const isForProvider = ({ kind, scopes }: Problem): boolean =>
  kind === 'server' || (kind === 'forbidden' && scopes.length === 0);

/** Takes the focus, because the button that signed in is gone. */
function SignedInAgain() {
  const { text } = useLanguage();
  return (
    <p className="hint" role="status" tabIndex={-1} ref={(element) => element?.focus()}>
      {text('console.signed-in-again')}
    </p>
  );
}
