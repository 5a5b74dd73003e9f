import { useState } from 'preact/compat';
import { createIdempotencyKey } from '../api/request.ts';
import { type ApiKey, nameOf } from '../keys/api-key.ts';
import type { NewSecret } from '../keys/secret-dialog.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { GraceField, readGrace } from '../ui/grace-field.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { rotateApiKeyMutation } from './documents.ts';

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  /** Whether the secret stops at once, unless the person says otherwise: others know it, or it does not work now. */
  readonly endsAtOnce?: boolean;
  readonly onDismiss: () => void;
  readonly onSecret: (secret: NewSecret) => void;
}

/** Gives a key a new secret. */
export function RotateKeyDialog({ apiKey, endsAtOnce = false, onDismiss, onSecret }: RotateKeyDialogProps) {
  const { request, refresh } = useHost();
  const language = useLanguage();
  const { text } = language;
  const action = useAction();
  // If a response is lost, the same request again gets the same secret.
  const [idempotencyKey] = useState(createIdempotencyKey);
  const name = nameOf(language, apiKey);
  return (
    <FormDialog
      title={text('key.rotate-title', { name })}
      submitLabel={text('key.rotate-submit')}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['graceSeconds']}
      onSubmit={async (form) => {
        const graceSeconds = readGrace(form);
        const { rotateApiKey } = await request(
          rotateApiKeyMutation,
          { keyId: apiKey.id, graceSeconds },
          { idempotencyKey },
        );
        await refresh();
        onDismiss();
        onSecret({ title: text('key.rotated', { name }), key: rotateApiKey.key });
      }}
    >
      {apiKey.pausedAt !== null && <p>{text('key.rotate-paused')}</p>}
      <p>{text('key.rotate-what')}</p>
      <GraceField
        label={text('key.rotate-grace')}
        issue={action.problem?.issueOf('graceSeconds')}
        initial={endsAtOnce ? 0 : 86_400}
      />
    </FormDialog>
  );
}
