import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

const subscribe = (listener: () => void) => {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
};

/** The colour scheme that a person prefers, now: GraphiQL itself looks once, and its editors stay as they are. */
export const useScheme = (): 'dark' | 'light' =>
  useSyncExternalStore(subscribe, () => (dark.matches ? 'dark' : 'light'));
