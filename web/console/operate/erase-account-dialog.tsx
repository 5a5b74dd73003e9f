import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import type { Account } from './account.tsx';
import { eraseAccountMutation } from './documents.ts';

interface EraseAccountDialogProps {
  readonly account: Account;
  readonly onDismiss: () => void;
}

/** Erases an account after the operator has typed its subject, because this cannot be undone. */
export function EraseAccountDialog({ account: { id, subject }, onDismiss }: EraseAccountDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  return (
    <FormDialog
      title={`Erase ${subject}?`}
      submitLabel="Erase this account"
      danger
      action={action}
      onDismiss={onDismiss}
      fallbackFocus="account"
      shownIssues={['subject']}
      onSubmit={async (form) => {
        if (form.get('subject') !== subject) throw invalid('subject', `Type ${subject} exactly as shown.`);
        await request(eraseAccountMutation, { id });
        await refresh();
        onDismiss();
        notify(`Account ${id} was erased.`);
      }}
    >
      <p>
        This deletes their API keys, private key, settings, and the personal data in their activity. You
        cannot undo this. If they sign in again, they get a new account.
      </p>
      <Field
        label={
          <>
            Type <bdi>{subject}</bdi> to confirm
          </>
        }
        issue={action.problem?.issueOf('subject')}
      >
        {(control) => <input {...control} name="subject" type="text" autoComplete="off" spellcheck={false} />}
      </Field>
    </FormDialog>
  );
}
