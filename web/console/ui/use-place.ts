import { useSyncExternalStore } from 'preact/compat';
import { useHost } from './host.ts';
import type { Place } from './places.ts';

/** Where the person is. */
export function usePlace(): Place {
  const { places } = useHost();
  return useSyncExternalStore(places.subscribe, places.get);
}
