import { useState } from 'preact/compat';
import { createIdempotencyKey } from '../../api/request.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { GraceField, readGrace } from '../../ui/grace-field.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
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
  const { text } = useLanguage();
  const action = useAction();
  // If a response is lost, the same request again gets the same secret.
  const [idempotencyKey] = useState(createIdempotencyKey);
  return (
    <FormDialog
      title={text('operate.rotate-title', { id: endpointId })}
      submitLabel={text('operate.do-rotate')}
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
        onSecret({ title: text('operate.secret-rotated', { id: endpointId }), secret: endpoint.secret });
      }}
    >
      <p>{text('operate.rotate-effect')}</p>
      <GraceField label={text('operate.grace')} issue={action.problem?.issueOf('graceSeconds')} />
    </FormDialog>
  );
}
