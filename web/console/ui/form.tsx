import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import type { useAction } from './use-action.ts';

interface FormProps {
  readonly id: string;
  readonly className?: string;
  readonly action: ReturnType<typeof useAction>;
  /** Makes the change, with what was typed. */
  readonly onSubmit: (form: FormData) => Promise<void>;
  /**
   * Called when the person has changed a field. Fields with a state must take it from `onInput` too: before `onChange`,
   * they may have been drawn again with the old one.
   */
  readonly onInput?: () => void;
  readonly children: ReactNode;
}

/** A form. If fields are refused, the first of them takes the focus. */
export function Form({ id, className, action: { run, problem }, onSubmit, onInput, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  // At once, so that nothing typed meanwhile goes to another field.
  useLayoutEffect(() => {
    if (!problem) return;
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    // A field that is folded away takes no focus.
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
      onInput={onInput}
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
