import { useSyncExternalStore } from 'react';
import { getSession, type SessionState, subscribe } from './session.ts';

/** The session as a React component sees it. */
export const useSession = (): SessionState => useSyncExternalStore(subscribe, getSession);
