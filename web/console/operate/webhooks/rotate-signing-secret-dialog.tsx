import { useState } from 'preact/compat';
import { duration } from '../../../shared/times.ts';
import { refresh } from '../../api/query-client.ts';
import { createIdempotencyKey, request } from '../../api/request.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import { rotateWebhookSecretMutation } from './documents.ts';
import type { NewSigningSecret } from './signing-secret-dialog.tsx';

/** How long the current secret may also sign, in seconds. */
const graces = [3_600, 86_400, 604_800];

interface RotateSigningSecretDialogProps {
  readonly endpointId: number;
  readonly onDismiss: () => void;
  readonly onSecret: (created: NewSigningSecret) => void;
}

/** Gives a webhook endpoint a new signing secret. */
export function RotateSigningSecretDialog({
  endpointId,
  onDismiss,
  onSecret,
}: RotateSigningSecretDialogProps) {
  const action = useAction();
  // If a response is lost, the same request again gets the same secret.
  const [idempotencyKey] = useState(createIdempotencyKey);
  return (
    <FormDialog
      title={`Rotate the secret of endpoint ${endpointId}`}
      submitLabel="Rotate"
      action={action}
      onDismiss={onDismiss}
      shownIssues={['graceSeconds']}
      onSubmit={async (form) => {
        const graceSeconds = Number(form.get('grace'));
        const { endpoint } = await request(
          rotateWebhookSecretMutation,
          { endpointId, graceSeconds },
          { idempotencyKey },
        );
        await refresh();
        onDismiss();
        onSecret({ title: `Endpoint ${endpointId} has a new secret`, secret: endpoint.secret });
      }}
    >
      <p>Messages get a signature for each secret, so that your receiver can change over.</p>
      <Field label="The current secret also signs for" issue={action.problem?.issueOf('graceSeconds')}>
        {(control) => (
          <select {...control} name="grace" defaultValue={86_400}>
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
