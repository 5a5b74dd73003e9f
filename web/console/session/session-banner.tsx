import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Says that the sign-in has expired, above what is still on the page. */
export function SessionBanner() {
  if (!useSession().expired) return null;
  return (
    <div className="problem" role="alert">
      <p>Your sign-in has expired. Sign in again to continue. Nothing on this page is lost.</p>
      <SignInButton label="Sign in again" />
    </div>
  );
}
