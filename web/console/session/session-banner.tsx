import { timeOfDay } from '../../shared/times.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Says that the sign-in is about to end or has expired, above what is still on the page. */
export function SessionBanner() {
  const { session, ending, expired } = useSession();
  if (expired)
    return (
      <div className="problem" role="alert">
        <p>Your sign-in has expired. Sign in again to continue. Nothing on this page is lost.</p>
        <SignInButton label="Sign in again" />
      </div>
    );
  if (!session || !ending) return null;
  return (
    <div className="warning" role="status">
      <p>
        Your sign-in ends at {timeOfDay(new Date(session.expiresAt))} and cannot be renewed automatically.
        Sign in again to continue. Nothing on this page is lost.
      </p>
      <SignInButton label="Sign in again" />
    </div>
  );
}
