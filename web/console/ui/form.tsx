import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import type { useAction } from './use-action.ts';

interface FormProps {
  readonly id: string;
  readonly className?: string;
  readonly action: ReturnType<typeof useAction>;
  /** Does it, with what was typed. */
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly children: ReactNode;
}

/** A form whose first field that is refused takes the focus. */
export function Form({ id, className, action: { run, problem }, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  // At once: nothing that is typed meanwhile goes elsewhere.
  useLayoutEffect(() => {
    if (!problem) return;
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    // What is folded away takes no focus.
    const fold = refused?.closest('details');
    if (fold) fold.open = true;
    refused?.focus();
  }, [problem]);
  return (
    <form
      ref={form}
      id={id}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget);
        void run(() => onSubmit(typed));
      }}
    >
      {children}
    </form>
  );
}
