import { useState } from 'preact/compat';
import { createIdempotencyKey } from '../../api/request.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
import { useAction } from '../../ui/use-action.ts';
import { createWebhookEndpointMutation } from './documents.ts';
import { EventsField, HeadersField, readEvents, readHeaders } from './endpoint-fields.tsx';
import type { NewSigningSecret } from './signing-secret-dialog.tsx';

interface AddEndpointDialogProps {
  readonly onDismiss: () => void;
  readonly onSecret: (created: NewSigningSecret) => void;
}

/** Adds a webhook endpoint. */
export function AddEndpointDialog({ onDismiss, onSecret }: AddEndpointDialogProps) {
  const { request, refresh } = useHost();
  const language = useLanguage();
  const { text } = language;
  const action = useAction();
  // If a response is lost, the same request again gets the same secret.
  const [idempotencyKey] = useState(createIdempotencyKey);
  return (
    <FormDialog
      title={text('operate.add-title')}
      submitLabel={text('operate.do-add')}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['url', 'events', 'headers']}
      onSubmit={async (form) => {
        const { endpoint } = await request(
          createWebhookEndpointMutation,
          {
            url: `${form.get('url')}`.trim(),
            events: readEvents(language, form),
            headers: readHeaders(language, form),
          },
          { idempotencyKey },
        );
        await refresh();
        onDismiss();
        onSecret({ title: text('operate.endpoint-added', { id: endpoint.id }), secret: endpoint.secret });
      }}
    >
      <Field
        label={text('operate.url')}
        hint={text('operate.url-hint')}
        issue={action.problem?.issueOf('url')}
      >
        {(control) => (
          <input {...control} name="url" type="url" autoComplete="off" spellcheck={false} dir="ltr" />
        )}
      </Field>
      <EventsField events={['*']} problem={action.problem} />
      <HeadersField problem={action.problem} />
    </FormDialog>
  );
}
