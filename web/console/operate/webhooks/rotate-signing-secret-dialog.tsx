import { useState } from 'preact/compat';
import { createIdempotencyKey } from '../../api/request.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { GraceField, readGrace } from '../../ui/grace-field.tsx';
import { useHost } from '../../ui/host.ts';
import { useAction } from '../../ui/use-action.ts';
import { rotateWebhookSecretMutation } from './documents.ts';
import type { NewSigningSecret } from './signing-secret-dialog.tsx';

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
  const { request, refresh } = useHost();
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
        const graceSeconds = readGrace(form);
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
      <GraceField label="The current secret also signs for" issue={action.problem?.issueOf('graceSeconds')} />
    </FormDialog>
  );
}
