import { createQueryClient } from '../api/create-query-client.ts';
import { createRequest, type Send } from '../api/request.ts';
import type { Host } from './host.ts';
import { createNotices } from './notices.ts';

type Derived = 'queryClient' | 'request' | 'refresh' | 'setParams' | 'notices' | 'notify';

/**
 * Makes a host: nothing in it is shared with another.
 * @param begin gives what sends the requests of one operation
 */
export function createHost({ begin, ...given }: Omit<Host, Derived> & { readonly begin: () => Send }): Host {
  const queryClient = createQueryClient();
  const notices = createNotices();
  return {
    ...given,
    queryClient,
    request: createRequest(given.language, begin),
    refresh: () => {
      queryClient.removeQueries({ type: 'inactive' });
      return queryClient.invalidateQueries();
    },
    setParams: given.places.setParams,
    notices,
    notify: notices.notify,
  };
}
