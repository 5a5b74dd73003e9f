import { QueryClient } from '@tanstack/preact-query';
import { getSession, subscribe } from '../../sign-in/session.ts';

/** What was read from the API, for as long as the same person is signed in. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A person sees at once what went wrong, and has a button to try again.
      retry: false,
      // Without a network it fails, rather than waiting for one in silence.
      networkMode: 'always',
    },
  },
});

/** Reads anew whatever is on the page. */
export const refresh = (): Promise<void> => queryClient.invalidateQueries();

let subject = getSession().session?.subject;
subscribe(() => {
  const { session, expired } = getSession();
  // What was read stays on the page, for whoever it is to sign in again.
  if (expired) return;
  if (session && session.subject === subject) return void refresh();
  subject = session?.subject;
  queryClient.clear();
});
