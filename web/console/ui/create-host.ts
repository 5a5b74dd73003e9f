import { createQueryClient } from '../api/create-query-client.ts';
import { createRequest, type Send } from '../api/request.ts';
import type { Host } from './host.ts';
import { createNotices } from './notices.ts';

type Derived = 'queryClient' | 'request' | 'refresh' | 'setParams' | 'notices' | 'notify';

/**
 * Makes a host: nothing in it is shared with another.
 * @param send sends a request of the GraphQL API as the person
 */
export function createHost({ send, ...given }: Omit<Host, Derived> & { readonly send: Send }): Host {
  const queryClient = createQueryClient();
  const notices = createNotices();
  return {
    ...given,
    queryClient,
    request: createRequest(send),
    refresh: () => {
      queryClient.removeQueries({ type: 'inactive' });
      return queryClient.invalidateQueries();
    },
    setParams: given.places.setParams,
    notices,
    notify: notices.notify,
  };
}
