import { type ReactNode, useState } from 'preact/compat';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { FormProblem } from './form-problem.tsx';
import { useLanguage } from './host.ts';
import type { useAction } from './use-action.ts';
import { useUnsaved } from './use-unsaved.ts';

interface FormDialogProps {
  readonly title: string;
  /** The label of the button that makes the change. */
  readonly submitLabel: string;
  readonly danger?: boolean;
  readonly action: ReturnType<typeof useAction>;
  /** Makes the change, with what was typed. */
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly onDismiss: () => void;
  /** The id of the element that gets the focus if the button that opened the dialog is gone. */
  readonly fallbackFocus?: string;
  /** The arguments whose fields show their own errors. */
  readonly shownIssues?: readonly string[];
  readonly children: ReactNode;
}

/** A dialog that makes a change. It stays open until the change succeeds, so a failure loses nothing that was typed. */
export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, danger = false, action, onSubmit, onDismiss, children } = props;
  const { pending, problem } = action;
  const { text } = useLanguage();
  const [isChanged, setIsChanged] = useState(false);
  useUnsaved(isChanged);
  return (
    <Dialog title={title} onDismiss={onDismiss} dismissible={!pending} fallbackFocus={props.fallbackFocus}>
      <Form id="dialog-form" action={action} onSubmit={onSubmit} onInput={() => setIsChanged(true)}>
        {children}
      </Form>
      <FormProblem problem={problem} shown={props.shownIssues ?? []} />
      <div className="dialog-actions">
        <Button pending={pending} onClick={onDismiss}>
          {text('common.cancel')}
        </Button>
        <Button look={danger ? 'danger' : 'primary'} type="submit" form="dialog-form" pending={pending}>
          {submitLabel}
        </Button>
      </div>
    </Dialog>
  );
}
