/** What a notice says. */
export interface Said {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

/** In milliseconds; long enough to read a notice twice. The page itself shows the result for good. */
const shownFor = 8_000;

/** Keeps what the person was told last. */
export interface Notices {
  /** Tells the person the result of an action. */
  readonly notify: (text: string) => void;
  readonly tell: (said: Said) => void;
  readonly clear: () => void;
  readonly get: () => Said;
  readonly subscribe: (listener: () => void) => () => void;
}

const nothing: Said = { text: '' };

/** Makes what keeps a notice for some seconds. */
export function createNotices(): Notices {
  let said = nothing;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const show = (next: Said) => {
    clearTimeout(timer);
    said = next;
    for (const listener of listeners) listener();
  };
  const clear = () => show(nothing);
  const tell = (next: Said) => {
    show(next);
    timer = setTimeout(clear, shownFor);
  };
  return {
    notify: (text) => tell({ text }),
    tell,
    clear,
    get: () => said,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
