import { QueryClientProvider } from '@tanstack/preact-query';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'preact/compat';
import { useAccount } from '../sign-in/use-account.ts';
import { Nav } from './layout/nav.tsx';
import { type ViewLink, views } from './layout/views.ts';
import { AccountBanner, useIsStranger } from './session/account-banner.tsx';
import { createAddressPlaces } from './session/address-places.ts';
import { createConsoleHost } from './session/console-host.ts';
import { NoOrganization } from './session/no-organization.tsx';
import { SessionBanner } from './session/session-banner.tsx';
import { HostProvider, useHost, useLanguage } from './ui/host.ts';
import { Loading } from './ui/loading.tsx';
import { Notice } from './ui/notice.tsx';

const places = createAddressPlaces();

/** The console of somebody who is signed in. */
export function Console() {
  const { view: hash } = useSyncExternalStore(places.subscribe, places.get);
  const view = views.find((each) => each.hash === hash) ?? views[0];
  const { organization } = useAccount();
  // An operator acts for no account.
  const owner = view.scopes === undefined ? organization : undefined;
  return <Hosted key={owner ?? ''} organization={owner} view={view} />;
}

interface HostedProps {
  readonly organization: string | undefined;
  readonly view: ViewLink;
}

/** What is shown for one account. With another account it is made anew: nothing of this one gets into its view. */
function Hosted({ organization, view }: HostedProps) {
  const [{ host, follow }] = useState(() => createConsoleHost(places, organization));
  useEffect(follow, [follow]);
  return (
    <HostProvider value={host}>
      <QueryClientProvider client={host.queryClient}>
        <Shown view={view} />
        <Notice />
      </QueryClientProvider>
    </HostProvider>
  );
}

function Shown({ view: { hash, name, View } }: Pick<HostedProps, 'view'>) {
  const { text } = useLanguage();
  const { organization = '' } = useHost().useAccount();
  const isStranger = useIsStranger();
  return (
    <div className="columns">
      <Nav current={hash} />
      <div className="content">
        <SessionBanner />
        {isStranger ? (
          <NoOrganization name={organization} />
        ) : (
          <>
            <AccountBanner />
            <Suspense fallback={<Loading what={text(name)} />}>
              <View />
            </Suspense>
          </>
        )}
      </div>
    </div>
  );
}
