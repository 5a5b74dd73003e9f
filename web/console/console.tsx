import { QueryClientProvider } from '@tanstack/preact-query';
import { Suspense } from 'preact/compat';
import { Nav } from './layout/nav.tsx';
import { views } from './layout/views.ts';
import { createConsoleHost } from './session/console-host.ts';
import { SessionBanner } from './session/session-banner.tsx';
import { type Host, HostProvider, useLanguage } from './ui/host.ts';
import { Loading } from './ui/loading.tsx';
import { Notice } from './ui/notice.tsx';
import { usePlace } from './ui/use-place.ts';

/** Made when the console is first shown: by then, the page has its language. */
let host: Host | undefined;

/** The console of somebody who is signed in. */
export function Console() {
  host ??= createConsoleHost();
  return (
    <HostProvider value={host}>
      <QueryClientProvider client={host.queryClient}>
        <Views />
        <Notice />
      </QueryClientProvider>
    </HostProvider>
  );
}

function Views() {
  const { view: hash } = usePlace();
  const { text } = useLanguage();
  const { hash: current, name, View } = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <div className="columns">
      <Nav current={current} />
      <div className="content">
        <SessionBanner />
        <Suspense fallback={<Loading what={text(name)} />}>
          <View />
        </Suspense>
      </div>
    </div>
  );
}
