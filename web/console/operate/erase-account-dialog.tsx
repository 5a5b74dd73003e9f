import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
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
  const { text, rich } = useLanguage();
  const action = useAction();
  return (
    <FormDialog
      title={text('operate.erase-title', { subject })}
      submitLabel={text('operate.do-erase')}
      danger
      action={action}
      onDismiss={onDismiss}
      fallbackFocus="account"
      shownIssues={['subject']}
      onSubmit={async (form) => {
        if (form.get('subject') !== subject)
          throw invalid('subject', text('operate.not-the-subject', { subject }));
        await request(eraseAccountMutation, { id });
        await refresh();
        onDismiss();
        notify(text('operate.erased', { id }));
      }}
    >
      <p>{text('operate.erase-effect')}</p>
      <Field
        label={rich('operate.confirm-erase', { subject: <bdi>{subject}</bdi> })}
        issue={action.problem?.issueOf('subject')}
      >
        {(control) => <input {...control} name="subject" type="text" autoComplete="off" spellcheck={false} />}
      </Field>
    </FormDialog>
  );
}
