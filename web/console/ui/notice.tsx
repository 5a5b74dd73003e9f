import { useEffect, useRef, useSyncExternalStore } from 'preact/compat';
import { Button } from './button.tsx';

interface Said {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

const nothing: Said = { text: '' };
let said = nothing;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** In milliseconds; long enough to read a notice twice. The page itself shows the result for good. */
const shownFor = 8_000;

const show = (next: Said) => {
  clearTimeout(timer);
  said = next;
  for (const listener of listeners) listener();
};

const clearNotice = (): void => show(nothing);

const tell = (next: Said) => {
  show(next);
  timer = setTimeout(clearNotice, shownFor);
};

/** Tells the person the result of an action, on the screen and to a screen reader. */
export const notify = (text: string): void => tell({ text });

/**
 * Makes what tells the result of an action that can be undone while the component is shown: it says if that fails.
 * @returns takes the text, and what undoes the action; undefined: nothing does
 */
export function useUndo() {
  const isShown = useRef(true);
  const told = useRef<Said>();
  useEffect(
    () => () => {
      isShown.current = false;
      // Another notice stays.
      if (said === told.current) clearNotice();
    },
    [],
  );
  return (text: string, undo: (() => void) | undefined): void => {
    const next = { text, undo: isShown.current ? undo : undefined };
    if (next.undo) told.current = next;
    tell(next);
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/**
 * Shows what {@link notify} says. It is always on the page, because screen readers ignore a live region that is added
 * with its text.
 */
export function Notice() {
  const { text, undo } = useSyncExternalStore(subscribe, () => said);
  return (
    <div className={text ? 'notice shown' : 'notice'}>
      <p role="status">{text}</p>
      {undo && (
        <Button
          look="quiet"
          onClick={() => {
            clearNotice();
            undo();
          }}
        >
          Undo
        </Button>
      )}
      {text && (
        <Button look="quiet" onClick={clearNotice}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
