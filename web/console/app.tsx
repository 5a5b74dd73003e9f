import { QueryClientProvider } from '@tanstack/react-query';
import { TopBar } from '../shared/top-bar.tsx';
import { useSession } from '../sign-in/use-session.ts';
import { queryClient } from './api/query-client.ts';
import { Nav } from './layout/nav.tsx';
import { useHash } from './layout/use-hash.ts';
import { views } from './layout/views.ts';
import { SessionBanner } from './session/session-banner.tsx';
import { SignedOut } from './session/signed-out.tsx';
import { usePerson } from './session/use-person.ts';
import { Notice } from './ui/notice.tsx';

/** The console. */
export function App() {
  const person = usePerson();
  const { resuming } = useSession();
  return (
    <QueryClientProvider client={queryClient}>
      <TopBar current="console" />
      {person === undefined ? resuming ? <Resuming /> : <SignedOut /> : <Console key={person} />}
    </QueryClientProvider>
  );
}

const Resuming = () => (
  <main className="signed-out">
    <p className="lead resuming" role="status">
      Signing you in again…
    </p>
  </main>
);

function Console() {
  const hash = useHash();
  const { hash: current, View } = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <>
      <div className="columns">
        <Nav current={current} />
        <div className="content">
          <SessionBanner />
          <View />
        </div>
      </div>
      <Notice />
    </>
  );
}
