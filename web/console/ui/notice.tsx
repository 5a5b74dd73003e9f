import { useSyncExternalStore } from 'preact/compat';
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

/**
 * Tells the person the result of an action, on the screen and to a screen reader.
 * @param undo takes the action back
 */
export function notify(text: string, undo?: () => void): void {
  show({ text, undo });
  timer = setTimeout(clearNotice, shownFor);
}

/** Takes away what {@link notify} says, for example when the person leaves the page on which it can be undone. */
export const clearNotice = (): void => show(nothing);

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
