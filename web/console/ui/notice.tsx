import { useEffect, useRef, useSyncExternalStore } from 'preact/compat';
import { Button } from './button.tsx';
import { useHost } from './host.ts';

interface Said {
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

/**
 * Makes what tells the result of an action that can be undone while the component is shown: it says if that fails.
 * @returns takes the text, and what undoes the action; undefined: nothing does
 */
export function useUndo() {
  const { notices } = useHost();
  const isShown = useRef(true);
  const told = useRef<Said>();
  useEffect(
    () => () => {
      isShown.current = false;
      // Another notice stays.
      if (notices.get() === told.current) notices.clear();
    },
    [notices.get, notices.clear],
  );
  return (text: string, undo: (() => void) | undefined): void => {
    const next = { text, undo: isShown.current ? undo : undefined };
    if (next.undo) told.current = next;
    notices.tell(next);
  };
}

/**
 * Shows what a host's `notify` says. It is always on the page, because screen readers ignore a live region that is added
 * with its text.
 */
export function Notice() {
  const { notices } = useHost();
  const { text, undo } = useSyncExternalStore(notices.subscribe, notices.get);
  return (
    <div className={text ? 'notice shown' : 'notice'} part="notice">
      <p role="status">{text}</p>
      {undo && (
        <Button
          look="quiet"
          onClick={() => {
            notices.clear();
            undo();
          }}
        >
          Undo
        </Button>
      )}
      {text && (
        <Button look="quiet" onClick={notices.clear}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
