import { wasSignedIn } from './kept-sign-in.ts';
import { canSignIn, settings } from './settings.ts';

/** A person who is signed in. The session is kept only in memory, so it ends with the page. */
export interface Session {
  readonly accessToken: string;
  /** The scopes that the token carries, in Keyward's names. */
  readonly scopes: readonly string[];
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  readonly subject?: string;
  /** Tells the person apart from others: whose token it is, by its issuer and its subject. */
  readonly person: string;
  /** What to call the person. */
  readonly name: string;
  /** Gets a session with a new token, without asking the person. Undefined if the provider gives no way to. */
  readonly renew?: () => Promise<Session>;
}

/** What a page knows about the person who uses it. */
export interface SessionState {
  readonly session: Session | undefined;
  /** Whether the page is still finding out who was signed in before it was loaded. */
  readonly resuming: boolean;
  /** Whether the session is about to end and was not renewed. */
  readonly ending: boolean;
  /** Whether the last session has expired. */
  readonly expired: boolean;
  /** The scopes that the next sign-in asks for. */
  readonly chosenScopes: readonly string[];
}

let state: SessionState = {
  session: undefined,
  resuming: canSignIn() && wasSignedIn(),
  ending: false,
  expired: false,
  chosenScopes: settings.scopes.filter(({ byDefault }) => byDefault).map(({ name }) => name),
};
let timer: ReturnType<typeof setTimeout> | undefined;
let renewal: Promise<Session | undefined> | undefined;
const listeners = new Set<() => void>();

function change(changes: Partial<SessionState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

/** The state now; the same object until it changes. */
export const getSession = (): SessionState => state;

/** Calls a listener after each change. The function that it returns stops that. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A browser counts a delay in 32 bits, and would fire at once after a longer one. */
const longestDelay = 2 ** 31 - 1;

/** The most time before its end at which a session is renewed, in milliseconds: 5 minutes. */
const longestLead = 5 * 60_000;

/** The least time from a session to its renewal, in milliseconds: the clock of the person may be wrong. */
const shortestDelay = 10_000;

const leftOf = ({ expiresAt }: Session): number => expiresAt - Date.now();

/** Begins a session. It is renewed before it ends, if possible; otherwise it is marked as ending, then as expired. */
export function startSession(session: Session): Session {
  const lead = Math.min(longestLead, leftOf(session) / 5);
  attendLater(session, lead, Math.max(leftOf(session) - lead, shortestDelay));
  change({ session, resuming: false, ending: false, expired: false });
  return session;
}

function attendLater(session: Session, lead: number, delay: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void attend(session, lead), Math.min(delay, longestDelay));
}

async function attend(session: Session, lead: number): Promise<void> {
  const isNear = leftOf(session) <= lead;
  if (isNear) await renewSession(session);
  if (state.session !== session) return;
  const left = leftOf(session);
  if (left <= 0) return expireSession();
  if (isNear) change({ ending: true });
  // Without a network, the next attempt may succeed.
  attendLater(session, lead, isNear ? Math.min(lead / 5, left) : left - lead);
}

/**
 * Renews a session, without asking the person.
 * @returns the current session, if it is another one than before; undefined if the session could not be renewed
 */
export function renewSession(session: Session): Promise<Session | undefined> {
  if (state.session !== session) return Promise.resolve(state.session);
  renewal ??= renew(session).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renew(session: Session): Promise<Session | undefined> {
  // The page says that the session ends; the person needs no other reason.
  const renewed = await session.renew?.().catch(() => undefined);
  // The person may have signed out meanwhile.
  if (state.session !== session) return state.session;
  return renewed?.person === session.person ? startSession(renewed) : undefined;
}

/** Marks the session as expired: its time is over, or the server no longer accepts its token. */
export function expireSession(): void {
  clearTimeout(timer);
  change({ session: undefined, ending: false, expired: true });
}

/** Ends the session: nobody is signed in. */
export function endSession(): void {
  clearTimeout(timer);
  change({ session: undefined, resuming: false, ending: false, expired: false });
}

/** Chooses the scopes that the next sign-in asks for. */
export const chooseScopes = (chosenScopes: readonly string[]): void => change({ chosenScopes });
