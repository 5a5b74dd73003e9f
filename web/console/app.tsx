import { lazy, Suspense } from 'preact/compat';
import { pageLanguage } from '../shared/page-language.ts';
import { TopBar } from '../shared/top-bar.tsx';
import { useSession } from '../sign-in/use-session.ts';
import { ProviderLinks } from './layout/provider-links.tsx';
import { SignedOut } from './session/signed-out.tsx';
import { usePerson } from './session/use-person.ts';

// The sign-in does not wait for the console, which loads meanwhile.
const loadConsole = async () => ({ default: (await import('./console.tsx')).Console });
addEventListener('load', () => void loadConsole().catch(() => {}));
const Console = lazy(loadConsole);

/** The console's page. */
export function App() {
  const person = usePerson();
  const { resuming } = useSession();
  const waiting = <Waiting />;
  return (
    <>
      <TopBar current="console" />
      {person === undefined ? (
        resuming ? (
          waiting
        ) : (
          <SignedOut />
        )
      ) : (
        <Suspense fallback={waiting}>
          <Console key={person} />
        </Suspense>
      )}
      <ProviderLinks />
    </>
  );
}

const Waiting = () => (
  <main className="signed-out">
    <p className="lead resuming" role="status">
      {pageLanguage().text('console.signing-in')}
    </p>
  </main>
);
