import { type ReactNode, useId, useLayoutEffect, useRef } from 'preact/compat';
import { focusSomewhere } from './focus.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called when the person asks to leave it; the caller then renders it no more. */
  readonly onDismiss: () => void;
  /** Whether the Escape key leaves it; true unless told otherwise. */
  readonly dismissible?: boolean;
  /** The id of what is focused after it where what had the focus is gone. */
  readonly fallbackFocus?: string | undefined;
}

/** A modal dialog, open for as long as it is rendered. The focus goes back to where it came from. */
export function Dialog({ title, children, onDismiss, dismissible = true, fallbackFocus }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // What it was last rendered with, for what happens later.
  const latest = useRef({ onDismiss, fallbackFocus });
  latest.current = { onDismiss, fallbackFocus };
  useLayoutEffect(() => {
    const dialog = ref.current;
    const close = () => latest.current.onDismiss();
    dialog?.showModal();
    dialog?.addEventListener('close', close);
    return () => {
      dialog?.removeEventListener('close', close);
      dialog?.close();
      focusSomewhere(latest.current.fallbackFocus);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      closedby={dismissible ? 'closerequest' : 'none'}
      onCancel={(event) => {
        if (!dismissible) event.preventDefault();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
