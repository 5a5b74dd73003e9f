import { wasSignedIn } from './kept-sign-in.ts';
import { canSignIn, settings } from './settings.ts';

/** That a person is signed in. It is kept in memory and nowhere else, so it ends with the page. */
export interface Session {
  readonly accessToken: string;
  /** The scopes that the token carries, in Keyward's names. */
  readonly scopes: readonly string[];
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  readonly subject?: string;
  /** What to call the person. */
  readonly name: string;
}

/** What a page knows of who uses it. */
export interface SessionState {
  readonly session: Session | undefined;
  /** Whether it is being found out who was signed in before this page was loaded. */
  readonly resuming: boolean;
  /** Whether there was a session whose time is over. */
  readonly expired: boolean;
  /** The scopes that the next sign-in asks for. */
  readonly chosenScopes: readonly string[];
}

let state: SessionState = {
  session: undefined,
  resuming: canSignIn() && wasSignedIn(),
  expired: false,
  chosenScopes: settings.scopes.filter(({ byDefault }) => byDefault).map(({ name }) => name),
};
let expiry: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function change(changes: Partial<SessionState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

/** The state now; the same object until it changes. */
export const getSession = (): SessionState => state;

/** Calls a listener after each change; what comes out ends that. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Begins a session. */
export function startSession(session: Session): Session {
  clearTimeout(expiry);
  // A browser counts the time in 32 bits: it would take a longer one for none.
  expiry = setTimeout(expireSession, Math.min(session.expiresAt - Date.now(), 2 ** 31 - 1));
  change({ session, resuming: false, expired: false });
  return session;
}

/** Says that the session is over: by its time, or because the server takes its token no more. */
export function expireSession(): void {
  clearTimeout(expiry);
  change({ session: undefined, expired: true });
}

/** Forgets who was signed in: nobody is now. */
export function endSession(): void {
  clearTimeout(expiry);
  change({ session: undefined, resuming: false, expired: false });
}

/** Chooses the scopes that the next sign-in asks for. */
export const chooseScopes = (chosenScopes: readonly string[]): void => change({ chosenScopes });
