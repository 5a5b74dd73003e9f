import { QueryClient } from '@tanstack/preact-query';
import { getSession, subscribe } from '../../sign-in/session.ts';

/** Responses of the API, kept for as long as the same person is signed in. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The person sees at once what went wrong, with a button to try again.
      retry: false,
      // Without a network, a query fails at once and does not wait.
      networkMode: 'always',
    },
  },
});

/**
 * Fetches again whatever is on the page, after a change. What other views have fetched is dropped: it may be old, and
 * would be shown until it is fetched again.
 */
export function refresh(): Promise<void> {
  queryClient.removeQueries({ type: 'inactive' });
  return queryClient.invalidateQueries();
}

let last = getSession().session;
let wasExpired = false;
subscribe(() => {
  const { session, expired } = getSession();
  // After the sign-in expires, the data stays on the page until somebody signs in.
  wasExpired ||= expired;
  if (expired || session === last) return;
  const before = last;
  last = session;
  if (!session || session.subject !== before?.subject) queryClient.clear();
  // A renewed session changes nothing; one with other scopes may read other things.
  else if (wasExpired || session.scopes.join() !== before?.scopes.join()) void refresh();
  wasExpired = false;
});
