import type { ReactNode } from 'preact/compat';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';

/** The fields of a dialog, with the arguments that they set. */
interface Fields {
  readonly names: readonly string[];
  /** @param issueOf tells what is wrong with an argument */
  readonly show: (issueOf: (argument: string) => string | undefined) => ReactNode;
}

interface ReasonDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly danger: boolean;
  /** The id of the element that gets the focus if the button that opened the dialog is gone. */
  readonly fallbackFocus: string;
  /** Makes the change, with the reason and the other fields. */
  readonly act: (reason: string, form: FormData) => Promise<void>;
  /** Other fields, shown before the reason. */
  readonly fields?: Fields;
  /** Called when the change is made and the page shows it. */
  readonly onDone: () => void;
  readonly onDismiss: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks an operator for a reason, then makes the change. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { refresh } = useHost();
  const { text } = useLanguage();
  const action = useAction();
  return (
    <FormDialog
      title={props.title}
      submitLabel={props.submitLabel}
      danger={props.danger}
      action={action}
      onDismiss={props.onDismiss}
      fallbackFocus={props.fallbackFocus}
      shownIssues={['reason', ...(props.fields?.names ?? [])]}
      onSubmit={async (form) => {
        await props.act(`${form.get('reason')}`, form);
        await refresh();
        props.onDismiss();
        props.onDone();
      }}
    >
      <p>{props.children}</p>
      {props.fields?.show((argument) => action.problem?.issueOf(argument))}
      <Field
        label={text('operate.reason')}
        hint={text('operate.reason-hint')}
        issue={action.problem?.issueOf('reason')}
      >
        {(control) => <input {...control} name="reason" type="text" autoComplete="off" maxLength={500} />}
      </Field>
    </FormDialog>
  );
}
