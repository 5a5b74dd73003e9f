import { useSyncExternalStore } from 'preact/compat';

const minute = 60_000;
let now = new Date();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => {
  now = new Date();
  for (const listener of listeners) listener();
};

// One clock for all moments on the page.
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  // Nobody may have looked at it for long; React reads it once more after this.
  if (!timer) now = new Date();
  timer ??= setInterval(tick, minute / 2);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** The time, to half a minute. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
