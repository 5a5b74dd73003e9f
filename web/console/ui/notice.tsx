import { useEffect, useRef, useSyncExternalStore } from 'preact/compat';
import { Button } from './button.tsx';
import { useHost, useLanguage } from './host.ts';
import type { Said } from './notices.ts';

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
  const language = useLanguage();
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
          {language.text('common.undo')}
        </Button>
      )}
      {text && (
        <Button look="quiet" onClick={notices.clear}>
          {language.text('common.dismiss')}
        </Button>
      )}
    </div>
  );
}
