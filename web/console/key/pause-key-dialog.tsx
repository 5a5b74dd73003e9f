import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { LastUse } from '../keys/last-use.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { pauseApiKeyMutation } from './documents.ts';

interface PauseKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Pauses a key, and asks why. */
export function PauseKeyDialog({ apiKey, onDismiss }: PauseKeyDialogProps) {
  const { request, refresh, notify } = useHost();
  const language = useLanguage();
  const { text, rich } = language;
  const action = useAction();
  const name = nameOf(language, apiKey);
  return (
    <FormDialog
      title={text('key.pause-title', { name })}
      submitLabel={text('key.pause-submit', { name })}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['reason']}
      onSubmit={async (form) => {
        const reason = `${form.get('reason')}`.trim();
        await request(pauseApiKeyMutation, { keyId: apiKey.id, reason: reason === '' ? null : reason });
        await refresh();
        onDismiss();
        notify(text('key.paused', { name }));
      }}
    >
      <p>{rich('key.pause-what', { prefix: <code>{apiKey.keyPrefix}</code> })}</p>
      <LastUse apiKey={apiKey} />
      <Field
        label={text('key.pause-reason')}
        hint={text('key.pause-reason-hint')}
        issue={action.problem?.issueOf('reason')}
      >
        {(control) => <input {...control} name="reason" type="text" autoComplete="off" maxLength={200} />}
      </Field>
    </FormDialog>
  );
}
