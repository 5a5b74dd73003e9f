import { useEffect } from 'preact/compat';
import { pageLanguage } from '../../shared/page-language.ts';
import { settings } from '../../sign-in/settings.ts';
import { SignInButton } from './sign-in-button.tsx';

/** What the console shows to somebody who is not signed in: whose service it is, and what it is for. */
export function SignedOut() {
  const { text } = pageLanguage();
  const { providerName, providerSentence = text('console.purpose') } = settings;
  const title = `${text('console.title')} · ${providerName ?? 'Keyward'}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className="signed-out">
      <h1 className="title">
        {providerName
          ? text('console.keys-for', { provider: providerName })
          : text('console.keys-and-settings')}
      </h1>
      <p className="lead">{providerSentence}</p>
      <SignInButton label={text('console.sign-in')} />
    </main>
  );
}
