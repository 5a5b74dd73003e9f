import type { QueryClient } from '@tanstack/preact-query';
import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { pageLanguage } from '../../shared/page-language.ts';
import { expireSession, getSession, renewSession, type Session, subscribe } from '../../sign-in/session.ts';
import { settings } from '../../sign-in/settings.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { signedOut } from '../api/problem.ts';
import type { Send } from '../api/request.ts';
import { createHost } from '../ui/create-host.ts';
import type { Host } from '../ui/host.ts';
import { createAddressPlaces } from '../ui/places.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Sends requests as the person who is signed in now. */
function begin(): Send {
  const { session } = getSession();
  return async (init) => {
    if (!session) throw signedOut(pageLanguage());
    const sendAs = ({ accessToken }: Session): Promise<Response> =>
      fetchInTime('/graphql', {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${accessToken}` },
      });
    const response = await sendAs(session);
    if (response.status !== 401) return response;
    // The server did nothing yet. After sleep, for example, a token may be over before it could be renewed.
    const found = await renewSession(session);
    // Meanwhile, somebody else may have signed in.
    const renewed = found?.subject === session.subject ? found : undefined;
    const second = renewed ? await sendAs(renewed) : response;
    if (second.status === 401 && [session, renewed].includes(getSession().session)) expireSession();
    return second;
  };
}

/** Drops what was fetched for another person, and fetches it again for one with other scopes. */
function followSession(queryClient: QueryClient, refresh: () => Promise<void>): void {
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
}

/** Makes the host of the console's components: the whole page. */
export function createConsoleHost(): Host {
  const host = createHost({
    settings,
    language: pageLanguage(),
    origin: location.origin,
    root: document,
    begin,
    places: createAddressPlaces(),
    hasViews: true,
    arriveAt: (title, heading) => {
      document.title = `${title} · ${settings.providerName ?? 'Keyward'}`;
      heading.focus();
    },
    useIsSignedIn: () => useSession().session !== undefined,
    SignIn: SignInButton,
  });
  followSession(host.queryClient, host.refresh);
  return host;
}
