import { QueryClientProvider } from '@tanstack/preact-query';
import { Nav } from './layout/nav.tsx';
import { views } from './layout/views.ts';
import { consoleHost } from './session/console-host.ts';
import { SessionBanner } from './session/session-banner.tsx';
import { HostProvider } from './ui/host.ts';
import { Notice } from './ui/notice.tsx';
import { usePlace } from './ui/use-place.ts';

/** The console of somebody who is signed in. */
export const Console = () => (
  <HostProvider value={consoleHost}>
    <QueryClientProvider client={consoleHost.queryClient}>
      <Views />
      <Notice />
    </QueryClientProvider>
  </HostProvider>
);

function Views() {
  const { view: hash } = usePlace();
  const { hash: current, View } = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <div className="columns">
      <Nav current={current} />
      <div className="content">
        <SessionBanner />
        <View />
      </div>
    </div>
  );
}
