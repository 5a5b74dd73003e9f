import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Says that the sign-in has ended, above what is still on the page. */
export function SessionBanner() {
  if (!useSession().expired) return null;
  return (
    <div className="problem" role="alert">
      <p>Your sign-in has ended. Sign in again to go on; what is on this page stays.</p>
      <SignInButton label="Sign in again" />
    </div>
  );
}
