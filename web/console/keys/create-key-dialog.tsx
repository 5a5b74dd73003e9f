import { useState } from 'preact/compat';
import { createIdempotencyKey } from '../api/request.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { nameOf } from './api-key.ts';
import { createApiKeyMutation } from './documents.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import { DescriptionField, NameField } from './label-fields.tsx';
import { LimitFields } from './limit-fields.tsx';
import { PermissionsField } from './permissions-field.tsx';
import { keyArguments, readKeyForm } from './read-key-form.ts';
import type { NewSecret } from './secret-dialog.tsx';

interface CreateKeyDialogProps {
  readonly onSecret: (secret: NewSecret) => void;
  readonly onDismiss: () => void;
}

/** Creates an API key. */
export function CreateKeyDialog({ onSecret, onDismiss }: CreateKeyDialogProps) {
  const { request, refresh, language, useAccount } = useHost();
  const { organization } = useAccount();
  const action = useAction();
  // If a response is lost, the same request again gets the same key and secret.
  const [opened] = useState(() => ({ at: new Date(), idempotencyKey: createIdempotencyKey() }));
  const { problem } = action;
  return (
    <FormDialog
      title={language.text('keys.create-title')}
      submitLabel={language.text('keys.create-submit')}
      action={action}
      onDismiss={onDismiss}
      shownIssues={keyArguments}
      onSubmit={async (form) => {
        const values = readKeyForm(language, form, opened.at);
        const { createApiKey } = await request(createApiKeyMutation, values, opened);
        await refresh();
        const name = nameOf(language, createApiKey.apiKey);
        onSecret({ title: language.text('keys.created', { name }), key: createApiKey.key });
      }}
    >
      {organization !== undefined && <p>{language.text('keys.belongs-to', { organization })}</p>}
      <NameField issue={problem?.issueOf('name')} />
      <DescriptionField issue={problem?.issueOf('description')} />
      <PermissionsField issue={problem?.issueOf('permissions')} />
      <ExpiryFields issue={problem?.issueOf('expiresAt')} />
      <LimitFields problem={problem} />
    </FormDialog>
  );
}
