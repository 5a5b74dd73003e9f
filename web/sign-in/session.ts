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
  /** What to call the person. */
  readonly name: string;
}

/** What a page knows about the person who uses it. */
export interface SessionState {
  readonly session: Session | undefined;
  /** Whether the page is still finding out who was signed in before it was loaded. */
  readonly resuming: boolean;
  /** Whether the last session has expired. */
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

/** Calls a listener after each change. The function that it returns stops that. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Begins a session. */
export function startSession(session: Session): Session {
  clearTimeout(expiry);
  // A browser counts a delay in 32 bits, and would fire at once after a longer one.
  expiry = setTimeout(expireSession, Math.min(session.expiresAt - Date.now(), 2 ** 31 - 1));
  change({ session, resuming: false, expired: false });
  return session;
}

/** Marks the session as expired: its time is over, or the server no longer accepts its token. */
export function expireSession(): void {
  clearTimeout(expiry);
  change({ session: undefined, expired: true });
}

/** Ends the session: nobody is signed in. */
export function endSession(): void {
  clearTimeout(expiry);
  change({ session: undefined, resuming: false, expired: false });
}

/** Chooses the scopes that the next sign-in asks for. */
export const chooseScopes = (chosenScopes: readonly string[]): void => change({ chosenScopes });
