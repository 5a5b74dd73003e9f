import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { pauseApiKeyMutation } from '../keys/documents.ts';
import { LastUse } from '../keys/last-use.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';

interface PauseKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Pauses a key, and asks why. */
export function PauseKeyDialog({ apiKey, onDismiss }: PauseKeyDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  const name = nameOf(apiKey);
  return (
    <FormDialog
      title={`Pause ${name}?`}
      submitLabel={`Pause ${name}`}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['reason']}
      onSubmit={async (form) => {
        const reason = `${form.get('reason')}`.trim();
        await request(pauseApiKeyMutation, { keyId: apiKey.id, reason: reason === '' ? null : reason });
        await refresh();
        onDismiss();
        notify(`${name} is paused.`);
      }}
    >
      <p>
        The key that begins with <code>{apiKey.keyPrefix}</code> is refused at once in every program that uses
        it, until you resume it. Nothing else changes.
      </p>
      <LastUse apiKey={apiKey} />
      <Field
        label="Reason (optional)"
        hint="For yourself and your provider."
        issue={action.problem?.issueOf('reason')}
      >
        {(control) => <input {...control} name="reason" type="text" autoComplete="off" maxLength={200} />}
      </Field>
    </FormDialog>
  );
}
