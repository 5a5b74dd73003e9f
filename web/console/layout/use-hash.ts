import { useSyncExternalStore } from 'preact/compat';

const subscribe = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** The part of the URL from `#` on. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);
