import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { queryClient } from './api/query-client.ts';
import { Nav } from './layout/nav.tsx';
import { useHash } from './layout/use-hash.ts';
import { useViews } from './layout/views.ts';
import { SessionBanner } from './session/session-banner.tsx';
import { Loading } from './ui/loading.tsx';
import { Notice } from './ui/notice.tsx';

/** The console of somebody who is signed in. */
export function Console() {
  const [hash] = useHash().split('/');
  const views = useViews();
  const { hash: current, View } = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <QueryClientProvider client={queryClient}>
      <div className="columns">
        <Nav views={views} current={current} />
        <div className="content">
          <SessionBanner />
          <Suspense fallback={<Loading what="this view" />}>
            <View />
          </Suspense>
        </div>
      </div>
      <Notice />
    </QueryClientProvider>
  );
}
