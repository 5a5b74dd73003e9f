import { type ReactNode, useId, useLayoutEffect, useRef } from 'preact/compat';
import { focusSomewhere } from './focus.ts';
import { useHost } from './host.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called when the person closes the dialog; the caller must then stop rendering it. */
  readonly onDismiss: () => void;
  /** Whether the Escape key closes the dialog. Default: true. */
  readonly dismissible?: boolean;
  /** The id of the element that gets the focus afterwards if the earlier one is gone. */
  readonly fallbackFocus?: string | undefined;
}

const controls = ':is(input, textarea, select, button):not([type="hidden"])';

/** A modal dialog, open for as long as it is rendered. Afterwards the focus returns to where it was. */
export function Dialog({ title, children, onDismiss, dismissible = true, fallbackFocus }: DialogProps) {
  const { root } = useHost();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The latest props, for the listeners below.
  const latest = useRef({ onDismiss, fallbackFocus });
  latest.current = { onDismiss, fallbackFocus };
  useLayoutEffect(() => {
    const dialog = ref.current;
    const close = () => latest.current.onDismiss();
    dialog?.showModal();
    // A browser may give the focus to what scrolls.
    dialog?.querySelector<HTMLElement>(controls)?.focus();
    dialog?.addEventListener('close', close);
    return () => {
      dialog?.removeEventListener('close', close);
      dialog?.close();
      focusSomewhere(root, latest.current.fallbackFocus);
    };
  }, [root]);
  return (
    <dialog
      ref={ref}
      part="dialog"
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
