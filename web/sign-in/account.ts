// For whom the pages are used: the person themself, or an organisation that their access token names.
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { urlOf } from '../shared/place.ts';
import { addressFor, endVisit, moveTo, onMove, organizationIn } from './address.ts';
import { personOfVisit, rememberPerson } from './kept-sign-in.ts';
import { getSession, type Session, subscribe } from './session.ts';
import { settings } from './settings.ts';

/** An account that the person may choose, as the service lists it. */
export interface MyAccount {
  /** Null while there is no account yet. */
  readonly user_id: number | null;
  /** Null for the person's own account. */
  readonly organization_id: string | null;
  /** What the organisation is called; null if the token does not tell. */
  readonly name: string | null;
  readonly role: 'manage' | 'read';
}

/** For whom a page is used. */
export interface AccountState {
  /** The id of the organisation; undefined: the person themself. */
  readonly organization: string | undefined;
  /** The accounts that the person may choose, their own first; undefined until they are known. */
  readonly accounts: readonly MyAccount[] | undefined;
  /** Whether the last attempt to learn the accounts failed. */
  readonly failed: boolean;
  /** How many people have left the page: what came for one of them is not for the next. */
  readonly left: number;
}

let state: AccountState = { organization: organizationIn(), accounts: undefined, failed: false, left: 0 };
/** Whose accounts these are, also on the page before; undefined: nobody has signed in. */
let person = personOfVisit();
let last: Session | undefined;
const listeners = new Set<() => void>();

function change(changes: Partial<AccountState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

/** For whom the page is used now; the same object until it changes. */
export const getAccount = (): AccountState => state;

/** Calls a listener after each change. The function that it returns stops that. */
export function subscribeAccount(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function fetchAccounts({ accessToken }: Session): Promise<readonly MyAccount[] | undefined> {
  const response = await fetchInTime(urlOf('api/v1/auth/accounts'), {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return response.ok ? response.json() : undefined;
}

/** Learns which accounts the person may choose. Nothing waits for it but what only somebody with the right role sees. */
async function load(session: Session): Promise<void> {
  const accounts = await fetchAccounts(session).catch(() => undefined);
  if (last !== session) return;
  change(accounts === undefined ? { failed: true } : { accounts, failed: false });
}

/** Tries again to learn the accounts, if that failed. */
export function retryAccounts(): void {
  if (state.failed && last) void load(last);
}

/** Learns the numbers of accounts again that the first change has created. */
export function completeAccounts(): void {
  const created = ({ organization_id: id, user_id: number }: MyAccount) =>
    number === null && [null, state.organization].includes(id);
  if (last && state.accounts?.some(created)) void load(last);
}

/** Forgets the person and their choice, when they sign out or somebody else signs in. */
export function forgetAccount(): void {
  person = undefined;
  last = undefined;
  change({ accounts: undefined, failed: false, left: state.left + 1 });
  endVisit();
}

onMove(() => {
  const organization = organizationIn();
  if (organization !== state.organization) change({ organization });
});
subscribe(() => {
  const { session } = getSession();
  if (!session || session === last) return;
  // A choice is never another person's.
  if (person !== undefined && person !== session.person) forgetAccount();
  person = session.person;
  last = session;
  if (!settings.organizations) return;
  rememberPerson(person);
  // Each token may name other organisations, with other roles.
  void load(session);
});

/** Chooses for whom the page is used, if the person may leave what is open. */
export function chooseAccount(organization: string | undefined): void {
  if (organization !== state.organization) moveTo(addressFor(organization));
}

/** The chosen account; undefined until it is known, or if the person has no such account. */
const chosenOf = ({ accounts, organization }: AccountState): MyAccount | undefined =>
  accounts?.find((account) => (account.organization_id ?? undefined) === organization);

/** What the organisation is called: its name, or its id. */
export const organizationName = (account: AccountState): string | undefined =>
  chosenOf(account)?.name ?? account.organization;

/** Whether the person may change what the account has. If the page could not learn that, the service decides. */
export const mayChange = (account: AccountState): boolean =>
  account.organization === undefined ||
  (account.accounts === undefined ? account.failed : chosenOf(account)?.role === 'manage');

/** Whether the person does not belong to the organisation. */
export const isStranger = (account: AccountState): boolean =>
  account.accounts !== undefined && chosenOf(account) === undefined;
