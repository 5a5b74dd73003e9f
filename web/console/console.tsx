import { QueryClientProvider } from '@tanstack/preact-query';
import { queryClient } from './api/query-client.ts';
import { Nav } from './layout/nav.tsx';
import { views } from './layout/views.ts';
import { SessionBanner } from './session/session-banner.tsx';
import { Notice } from './ui/notice.tsx';
import { usePlace } from './ui/use-hash.ts';

/** The console of somebody who is signed in. */
export function Console() {
  const { view: hash } = usePlace();
  const { hash: current, View } = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <QueryClientProvider client={queryClient}>
      <div className="columns">
        <Nav current={current} />
        <div className="content">
          <SessionBanner />
          <View />
        </div>
      </div>
      <Notice />
    </QueryClientProvider>
  );
}
