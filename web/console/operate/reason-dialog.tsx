import type { ReactNode } from 'preact/compat';
import { refresh } from '../api/query-client.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useAction } from '../ui/use-action.ts';

/** The fields of a dialog, by the arguments that they are for. */
interface Fields {
  readonly names: readonly string[];
  /** @param issueOf says what is wrong with an argument */
  readonly show: (issueOf: (argument: string) => string | undefined) => ReactNode;
}

interface ReasonDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly danger: boolean;
  /** The id of what is focused afterwards where the button that opened it is gone. */
  readonly fallbackFocus: string;
  /** Does it, with the reason and what else was typed. */
  readonly act: (reason: string, form: FormData) => Promise<void>;
  /** What else is asked, before the reason. */
  readonly fields?: Fields;
  /** Called when it is done and the page shows it. */
  readonly onDone: () => void;
  readonly onDismiss: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks an operator why, and does it. */
export function ReasonDialog(props: ReasonDialogProps) {
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
        label="Why"
        hint="The person will read it in their activity."
        issue={action.problem?.issueOf('reason')}
      >
        {(control) => <input {...control} name="reason" type="text" autoComplete="off" maxLength={500} />}
      </Field>
    </FormDialog>
  );
}
