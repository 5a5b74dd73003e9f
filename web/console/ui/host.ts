import type { QueryClient } from '@tanstack/preact-query';
import { type ComponentType, createContext, useContext, useRef } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import type { Settings } from '../../sign-in/settings.ts';
import type { Request } from '../api/request.ts';
import type { Notices } from './notices.ts';
import type { Places } from './places.ts';

/** What a component needs to know of the service. */
export type HostSettings = Pick<
  Settings,
  'apiKeyHeader' | 'apiKeyPermissions' | 'providerName' | 'providerLinks'
>;

/** Whose account the components show, and what the person may do there. */
export interface HostAccount {
  /** What the organisation is called; undefined: it is the person's own account. */
  readonly organization: string | undefined;
  /** Whether the person may change anything; false until it is known. */
  readonly mayChange: boolean;
  /** The number of the person's own account; undefined if they have none, or if it is not known. */
  readonly ownId: number | undefined;
  /** What the organisation with an account of this number is called; undefined for any other account. */
  readonly organizationOf: (userId: number) => string | undefined;
}

/**
 * What surrounds the components: the console's page, or an element in a provider's page, of which a page may have
 * several.
 */
export interface Host {
  readonly settings: HostSettings;
  /** The person's language. */
  readonly language: Language;
  /** The URL of the service, without a slash at its end. */
  readonly serviceUrl: string;
  /** Where ids are looked up, and which knows what has the focus. */
  readonly root: Document | ShadowRoot;
  readonly queryClient: QueryClient;
  readonly request: Request;
  /**
   * Fetches again whatever is shown, after a change. What other views have fetched is dropped: it may be old, and would
   * be shown until it is fetched again.
   */
  readonly refresh: () => Promise<void>;
  readonly places: Places;
  readonly setParams: Places['setParams'];
  readonly notices: Notices;
  /** Tells the person the result of an action, on the screen and to a screen reader. */
  readonly notify: Notices['notify'];
  /** Whether the components are a whole page, with other views than that of the keys. */
  readonly hasViews: boolean;
  /** Called with the title of the view that is shown. */
  readonly entitle: (title: string) => void;
  /** Called when a view shows, with its heading, which can take the focus. */
  readonly arriveAt: (heading: HTMLElement) => void;
  /** Tells a component whose account it shows. */
  readonly useAccount: () => HostAccount;
  /** Tells a component whether somebody is signed in. */
  readonly useIsSignedIn: () => boolean;
  /** Lets the person sign in; undefined if that is for the page around the components. */
  readonly SignIn: ComponentType<{ readonly label: string; readonly scopes?: readonly string[] }> | undefined;
}

const HostContext = createContext<Host | undefined>(undefined);

/** Gives a host to all components inside. */
export const HostProvider = HostContext.Provider;

/** The host of a component. */
export function useHost(): Host {
  const host = useContext(HostContext);
  if (!host) throw new Error('There is no host.');
  return host;
}

/** The person's language, for a component. */
export const useLanguage = (): Language => useHost().language;

/** Whether the person may change what the account has. */
export const useMayChange = (): boolean => useHost().useAccount().mayChange;

/** The same, but once it was so, it stays so: what is open stays open, and nothing typed is lost with the role. */
export function useOnceMayChange(): boolean {
  const may = useMayChange();
  const once = useRef(may);
  once.current ||= may;
  return once.current;
}
