import type { QueryClient } from '@tanstack/preact-query';
import { accountHeaders } from '../../shared/account-headers.ts';
import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { pageLanguage } from '../../shared/page-language.ts';
import { serviceUrl, urlOf } from '../../shared/place.ts';
import { type AccountState, completeAccounts, mayChange, organizationName } from '../../sign-in/account.ts';
import { getSession, subscribe } from '../../sign-in/session.ts';
import { settings } from '../../sign-in/settings.ts';
import { useAccount } from '../../sign-in/use-account.ts';
import { useSession } from '../../sign-in/use-session.ts';
import type { CompiledDocument } from '../api/compiled-document.ts';
import type { Send } from '../api/request.ts';
import { createHost } from '../ui/create-host.ts';
import type { Host, HostAccount } from '../ui/host.ts';
import type { Places } from '../ui/places.ts';
import { asPerson } from './as-person.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Sends requests as the person who is signed in now, for an account. */
function begin(organization: string | undefined): Send {
  const send = asPerson();
  return (init) =>
    send((authorization) =>
      fetchInTime(urlOf('graphql'), {
        ...init,
        headers: { ...init.headers, ...accountHeaders(organization), authorization },
      }),
    );
}

/**
 * Fetches everything again when the person signs in with other scopes, or after the sign-in had expired.
 * @returns stops that, and drops what was fetched
 */
function followSession(queryClient: QueryClient, refresh: () => Promise<void>): () => void {
  let last = getSession().session;
  let wasExpired = false;
  const stop = subscribe(() => {
    const { session, expired } = getSession();
    // After the sign-in expires, the data stays on the page until somebody signs in.
    wasExpired ||= expired;
    if (expired || session === last) return;
    const before = last;
    last = session;
    // A renewed session changes nothing; one with other scopes may read other things.
    const isSame = session !== undefined && session.person === before?.person;
    if (isSame && (wasExpired || session.scopes.join() !== before?.scopes.join())) void refresh();
    wasExpired = false;
  });
  return () => {
    stop();
    queryClient.clear();
  };
}

/** What the components need to know of the account. */
function describeAccount(account: AccountState): HostAccount {
  const { accounts = [] } = account;
  return {
    organization: organizationName(account),
    mayChange: mayChange(account),
    ownId: accounts.find(({ organization_id: id }) => id === null)?.user_id ?? undefined,
    organizationOf: (userId) => {
      const found = accounts.find(({ user_id: id }) => id === userId);
      return found?.name ?? found?.organization_id ?? undefined;
    },
  };
}

/**
 * Makes the host of the console's components: the whole page, for one person and one account.
 * @param organization the id of the organisation; undefined: the person's own account
 */
export function createConsoleHost(places: Places, organization: string | undefined) {
  const made = createHost({
    settings,
    language: pageLanguage(),
    serviceUrl,
    root: document,
    begin: () => begin(organization),
    places,
    hasViews: true,
    entitle: (title) => {
      document.title = `${title} · ${settings.providerName ?? 'Keyward'}`;
    },
    arriveAt: (heading) => heading.focus(),
    // The page may have another account already, and this host a last look.
    useAccount: () => describeAccount({ ...useAccount(), organization }),
    useIsSignedIn: () => useSession().session !== undefined,
    SignIn: SignInButton,
  });
  const host: Host = {
    ...made,
    request: async (document, variables, options) => {
      const answer = await made.request(document, variables, options);
      // The build has put it there.
      if ((document as unknown as CompiledDocument).isChange) completeAccounts();
      return answer;
    },
  };
  return { host, follow: () => followSession(host.queryClient, host.refresh) };
}
