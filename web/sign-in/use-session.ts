import { useSyncExternalStore } from 'preact/compat';
import { getSession, type SessionState, subscribe } from './session.ts';

/** The session as a React component sees it. */
export const useSession = (): SessionState => useSyncExternalStore(subscribe, getSession);
