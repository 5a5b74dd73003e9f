import { QueryClient } from '@tanstack/preact-query';

/** Keeps responses of the API for as long as the same person is signed in. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The person sees at once what went wrong, with a button to try again.
        retry: false,
        // Without a network, a query fails at once and does not wait.
        networkMode: 'always',
      },
    },
  });
