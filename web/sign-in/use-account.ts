import { useSyncExternalStore } from 'preact/compat';
import { type AccountState, getAccount, subscribeAccount } from './account.ts';

/** For whom the page is used, as a React component sees it. */
export const useAccount = (): AccountState => useSyncExternalStore(subscribeAccount, getAccount);
