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
  // The time may be old if nothing used it for long. React reads it once more after this.
  if (!timer) now = new Date();
  timer ??= setInterval(tick, minute / 2);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** The current time, at most half a minute old. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
