/** Where in the console a person is: `#keys/355?range=7d`. */
export interface Place {
  /** The view, with its `#`. */
  readonly view: string;
  /** What follows the first slash; empty if nothing does. */
  readonly item: string;
  readonly params: URLSearchParams;
}

/** Knows and changes the place. */
export interface Places {
  /** The place now; the same object until it changes. */
  readonly get: () => Place;
  /** Calls a listener after each change. The function that it returns stops that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Changes parameters, without an entry in the history. An empty text or undefined removes one. */
  readonly setParams: (changes: Readonly<Record<string, string | undefined>>) => void;
  /**
   * Asks before the person leaves the place, until the function that it returns is called.
   * @param mayLeave whether the person may leave
   */
  readonly guard: (mayLeave: () => boolean) => () => void;
}

const parse = (text: string): Place => {
  const [path = '', query] = text.split('?', 2);
  const [view = '', ...item] = path.split('/');
  return { view, item: item.join('/'), params: new URLSearchParams(query) };
};

const write = ({ view, item, params }: Place): string => {
  const path = [view || '#keys', item].filter(Boolean).join('/');
  return params.size === 0 ? path : `${path}?${params}`;
};

/**
 * Makes what knows a place.
 * @param replace shows a place to the person, without an entry in the history
 */
export function createPlaces(first: string, replace: (text: string) => void) {
  let place = parse(first);
  const listeners = new Set<() => void>();
  const guards = new Set<() => boolean>();
  const moveTo = (text: string) => {
    place = parse(text);
    for (const listener of listeners) listener();
  };
  const places: Places = {
    get: () => place,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    setParams: (changes) => {
      const params = new URLSearchParams(place.params);
      for (const [name, value] of Object.entries(changes))
        if (value) params.set(name, value);
        else params.delete(name);
      const text = write({ ...place, params });
      replace(text);
      moveTo(text);
    },
    guard: (mayLeave) => {
      guards.add(mayLeave);
      return () => void guards.delete(mayLeave);
    },
  };
  return { places, moveTo, mayLeave: () => [...guards].every((mayLeave) => mayLeave()) };
}

/** A place of which the address of the page knows nothing. Links lead there by `follow`. */
export function createOwnPlaces(): Places & { readonly follow: (text: string) => void } {
  const { places, moveTo, mayLeave } = createPlaces('#keys', () => {});
  return { ...places, follow: (text) => void (mayLeave() && moveTo(text)) };
}
