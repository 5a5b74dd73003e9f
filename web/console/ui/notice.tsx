import { useSyncExternalStore } from 'preact/compat';
import { Button } from './button.tsx';

let text = '';
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** In milliseconds; long enough to read a notice twice. The page itself shows the result for good. */
const shownFor = 8_000;

const show = (next: string) => {
  clearTimeout(timer);
  text = next;
  for (const listener of listeners) listener();
};

/** Tells the person the result of an action, on the screen and to a screen reader. */
export function notify(sentence: string): void {
  show(sentence);
  timer = setTimeout(() => show(''), shownFor);
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
  const sentence = useSyncExternalStore(subscribe, () => text);
  return (
    <div className={sentence ? 'notice shown' : 'notice'}>
      <p role="status">{sentence}</p>
      {sentence && (
        <Button look="quiet" onClick={() => show('')}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
