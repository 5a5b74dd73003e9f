import { pageLanguage } from '../../shared/page-language.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Says that the sign-in is about to end or has expired, above what is still on the page. */
export function SessionBanner() {
  const { session, ending, expired } = useSession();
  const { text, timeOfDay } = pageLanguage();
  if (expired)
    return (
      <div className="problem" role="alert">
        <p>{text('console.sign-in-expired')}</p>
        <SignInButton label={text('console.sign-in-again')} />
      </div>
    );
  if (!session || !ending) return null;
  return (
    <div className="warning" role="status">
      <p>{text('console.sign-in-ends', { end: timeOfDay(new Date(session.expiresAt)) })}</p>
      <SignInButton label={text('console.sign-in-again')} />
    </div>
  );
}
