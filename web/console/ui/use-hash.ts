import { useSyncExternalStore } from 'preact/compat';

let hash = location.hash;
let url = location.href;
const listeners = new Set<() => void>();
const guards = new Set<() => boolean>();

addEventListener('hashchange', () => {
  // The way that led here, a link or *Back*, stays in the history.
  if ([...guards].some((mayLeave) => !mayLeave())) return history.pushState(null, '', url);
  ({ hash, href: url } = location);
  for (const listener of listeners) listener();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The part of the URL from `#` on. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => hash);

/**
 * Asks before the part of the URL from `#` on changes, until the function that it returns is called.
 * @param mayLeave whether it may change
 */
export function guardHash(mayLeave: () => boolean): () => void {
  guards.add(mayLeave);
  return () => void guards.delete(mayLeave);
}
