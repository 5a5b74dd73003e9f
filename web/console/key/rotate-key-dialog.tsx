import { useState } from 'preact/compat';
import { duration } from '../../shared/times.ts';
import { refresh } from '../api/query-client.ts';
import { createIdempotencyKey, request } from '../api/request.ts';
import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { rotateApiKeyMutation } from '../keys/documents.ts';
import type { NewSecret } from '../keys/secret-dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useAction } from '../ui/use-action.ts';

/** How long the current secret may keep working, in seconds. */
const graces = [3_600, 86_400, 604_800];

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  /** Whether the secret is known to others. Then it stops at once, unless the person says otherwise. */
  readonly isLeaked?: boolean;
  readonly onDismiss: () => void;
  readonly onSecret: (secret: NewSecret) => void;
}

/** Gives a key a new secret. */
export function RotateKeyDialog({ apiKey, isLeaked = false, onDismiss, onSecret }: RotateKeyDialogProps) {
  const action = useAction();
  // If a response is lost, the same request again gets the same secret.
  const [idempotencyKey] = useState(createIdempotencyKey);
  const name = nameOf(apiKey);
  return (
    <FormDialog
      title={`Rotate ${name}`}
      submitLabel="Rotate"
      action={action}
      onDismiss={onDismiss}
      shownIssues={['graceSeconds']}
      onSubmit={async (form) => {
        const graceSeconds = Number(form.get('grace'));
        const { rotateApiKey } = await request(
          rotateApiKeyMutation,
          { keyId: apiKey.id, graceSeconds },
          { idempotencyKey },
        );
        await refresh();
        onDismiss();
        onSecret({ title: `${name} has a new secret`, key: rotateApiKey.key });
      }}
    >
      <p>The key gets a new secret. Its ID, name, expiry, permissions and limits stay the same.</p>
      <Field label="The current secret keeps working for" issue={action.problem?.issueOf('graceSeconds')}>
        {(control) => (
          <select {...control} name="grace" defaultValue={isLeaked ? 0 : 86_400}>
            <option value={0}>0 seconds: it stops at once</option>
            {graces.map((seconds) => (
              <option key={seconds} value={seconds}>
                {duration(seconds)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}
