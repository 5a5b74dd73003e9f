import { useSyncExternalStore } from 'preact/compat';

/** What the part of the URL from `#` on says: `#keys/355?range=7d`. */
export interface Place {
  /** The view, with its `#`. */
  readonly view: string;
  /** What follows the first slash; empty if nothing does. */
  readonly item: string;
  readonly params: URLSearchParams;
}

const read = (): Place => {
  const [path = '', query] = location.hash.split('?', 2);
  const [view = '', ...item] = path.split('/');
  return { view, item: item.join('/'), params: new URLSearchParams(query) };
};

let place = read();
let url = location.href;
const listeners = new Set<() => void>();
const guards = new Set<() => boolean>();

const update = () => {
  place = read();
  url = location.href;
  for (const listener of listeners) listener();
};

addEventListener('hashchange', () => {
  // The way that led here, a link or *Back*, stays in the history.
  if ([...guards].some((mayLeave) => !mayLeave())) history.pushState(null, '', url);
  else update();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The part of the URL from `#` on. */
export const usePlace = (): Place => useSyncExternalStore(subscribe, () => place);

/** Changes parameters of the place, without an entry in the history. An empty text or undefined removes one. */
export function setParams(changes: Readonly<Record<string, string | undefined>>): void {
  const params = new URLSearchParams(place.params);
  for (const [name, value] of Object.entries(changes))
    if (value) params.set(name, value);
    else params.delete(name);
  const path = [place.view || '#keys', place.item].filter(Boolean).join('/');
  history.replaceState(null, '', params.size === 0 ? path : `${path}?${params}`);
  update();
}

/**
 * Asks before the person leaves the place, until the function that it returns is called.
 * @param mayLeave whether the person may leave
 */
export function guardPlace(mayLeave: () => boolean): () => void {
  guards.add(mayLeave);
  return () => void guards.delete(mayLeave);
}
