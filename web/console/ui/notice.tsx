import { useSyncExternalStore } from 'preact/compat';
import { Button } from './button.tsx';

let text = '';
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Long enough to be read twice; the page itself shows the result for good. */
const shownFor = 8_000;

const show = (next: string) => {
  clearTimeout(timer);
  text = next;
  for (const listener of listeners) listener();
};

/** Tells the person, on the screen and to a screen reader, what came of what they did. */
export function notify(sentence: string): void {
  show(sentence);
  timer = setTimeout(() => show(''), shownFor);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Where {@link notify} speaks. It is always there: a live region that comes with its text is not read out. */
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
