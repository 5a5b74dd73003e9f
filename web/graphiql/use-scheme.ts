import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

const subscribe = (listener: () => void) => {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
};

/** The colour scheme that the person prefers now. GraphiQL itself looks only once, so its editors would not change. */
export const useScheme = (): 'dark' | 'light' =>
  useSyncExternalStore(subscribe, () => (dark.matches ? 'dark' : 'light'));
