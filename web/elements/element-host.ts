import { useQuery } from '@tanstack/preact-query';
import type { ResultOf } from 'gql.tada';
import { Problem, toProblem } from '../console/api/problem.ts';
import type { Request, Send } from '../console/api/request.ts';
import { createApiKeyMutation, deactivateApiKeyMutation } from '../console/keys/documents.ts';
import { createHost } from '../console/ui/create-host.ts';
import { isFocusFree } from '../console/ui/focus.ts';
import type { Host, HostSettings } from '../console/ui/host.ts';
import { createOwnPlaces } from '../console/ui/places.ts';
import type { Language } from '../messages/language.ts';
import { accountHeaders } from '../shared/account-headers.ts';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { serviceUrl, urlOf } from '../shared/place.ts';
import { myAccountsQuery } from './documents.ts';
import { readPerson } from './read-person.ts';
import { explain } from './service.ts';

/** What an element knows of the page around it. */
export interface Surroundings {
  readonly root: ShadowRoot;
  readonly settings: HostSettings;
  readonly language: Language;
  /** The account whose keys these are; undefined: that of the token. */
  readonly account: string | undefined;
  /** The organisation whose keys these are, by its id; undefined: the person's own, or those of `account`. */
  readonly organization: string | undefined;
  /** Gives an access token; nothing if nobody is signed in. */
  readonly getToken: () => Promise<string | null | undefined>;
  /** Aborts when what this element shows has ended. */
  readonly ended: AbortSignal;
  /** Called instead of a request if the token is not that of the person of the request before; aborts `ended`. */
  readonly onOtherPerson: () => void;
  /** Tells the page what happened. */
  readonly tell: (name: string, detail: object) => void;
}

/** How long the page may take to give a token, in milliseconds. */
const patience = 15_000;

const notSignedIn = ({ text }: Language, cause?: unknown) =>
  new Problem('unauthenticated', text('common.not-signed-in'), cause === undefined ? {} : { cause });

/** Asks the page for an access token, which is used for one request. Empty if nobody is signed in. */
async function askForToken({ getToken, language }: Surroundings): Promise<string> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('getToken did not answer.')), patience);
  const token = await Promise.race([getToken(), late.promise])
    .catch((cause: unknown) => {
      throw notSignedIn(language, cause);
    })
    .finally(() => clearTimeout(timer));
  return typeof token === 'string' ? token : '';
}

/** Gives a token for each request, as long as it is the same person's. */
function createTokens(surroundings: Surroundings): () => Promise<string> {
  const { language, ended, onOtherPerson } = surroundings;
  let last: { readonly person: string | undefined } | undefined;
  return async () => {
    const token = await askForToken(surroundings);
    // By now, the page may have another person, or ask for another account.
    if (ended.aborted) throw notSignedIn(language);
    const person = readPerson(token);
    if (last && (token === '' || person !== last.person)) onOtherPerson();
    if (ended.aborted || token === '') throw notSignedIn(language);
    last = { person };
    return token;
  };
}

/** Sends requests with a token of the page's. */
function createSend(surroundings: Surroundings): Send {
  const { account, organization, language } = surroundings;
  const nextToken = createTokens(surroundings);
  let isAllowed = false;
  return async (init) => {
    const token = await nextToken();
    const headers = {
      ...init.headers,
      authorization: `Bearer ${token}`,
      ...(account !== undefined && { 'keyward-account': account }),
      ...accountHeaders(organization),
    };
    try {
      const response = await fetchInTime(urlOf('graphql'), { ...init, headers });
      isAllowed = true;
      return response;
    } catch (error) {
      throw isAllowed || init.signal?.aborted ? error : await explain(language, error);
    }
  };
}

/** The changes of which the page is told. A secret is not part of that. */
function tellOfChange(document: unknown, data: unknown, variables: object, tell: Surroundings['tell']): void {
  if (document === createApiKeyMutation) {
    const { id, name } = (data as ResultOf<typeof createApiKeyMutation>).createApiKey.apiKey;
    tell('key-created', { id, name });
  }
  if (document === deactivateApiKeyMutation && 'keyId' in variables)
    tell('key-deactivated', { id: variables.keyId });
}

/** Whether the service answered that the person does not belong there. */
const isRefused = (error: Error | null): boolean =>
  error instanceof Problem && ['forbidden', 'refused'].includes(error.kind);

/** Whether the service was asked, and gave no answer. */
const isUnanswered = (error: Error | null): boolean => error !== null && !isRefused(error);

/** Makes what tells a component whose account it shows, and what the person may do there. */
function createAccountHook({ account, organization }: Surroundings, request: Request): Host['useAccount'] {
  const isOwn = account === undefined && organization === undefined;
  return () => {
    const { data, error } = useQuery({
      queryKey: ['my-accounts'],
      queryFn: ({ signal }) => request(myAccountsQuery, {}, { signal }),
      enabled: !isOwn,
    });
    const [found] = data?.myAccounts ?? [];
    return {
      organization: found?.name ?? found?.organizationId ?? organization,
      // If the element could not learn that, the service decides.
      mayChange: isOwn || (found && !isRefused(error) ? found.role === 'manage' : isUnanswered(error)),
      ownId: undefined,
      organizationOf: () => undefined,
    };
  };
}

/** Makes the host of an element's components, for one person. */
export function createElementHost(surroundings: Surroundings) {
  const { root, settings, language, tell } = surroundings;
  const places = createOwnPlaces();
  const first = places.get();
  const send = createSend(surroundings);
  const host: Host = createHost({
    settings,
    language,
    serviceUrl,
    root,
    begin: () => send,
    places,
    hasViews: false,
    // The title of the page is the page's.
    entitle: () => {},
    arriveAt: (heading) => {
      // The page around the element keeps the focus until the person goes somewhere in the element.
      if (places.get() !== first && isFocusFree(root)) heading.focus();
    },
    useAccount: createAccountHook(surroundings, (...asked) => host.request(...asked)),
    useIsSignedIn: () => false,
    SignIn: undefined,
  });
  const request: Request = async (document, variables, options) => {
    try {
      const data = await host.request(document, variables, options);
      tellOfChange(document, data, variables, tell);
      return data;
    } catch (error) {
      if (options?.signal?.aborted) throw error;
      const { kind, message, requestId } = toProblem(language, error);
      tell('error', { kind, message, requestId });
      throw error;
    }
  };
  return { host: { ...host, request } satisfies Host, follow: places.follow };
}
