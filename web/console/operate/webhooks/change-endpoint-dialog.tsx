import { useState } from 'preact/compat';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useHost } from '../../ui/host.ts';
import { useAction } from '../../ui/use-action.ts';
import { updateWebhookEndpointMutation } from './documents.ts';
import type { WebhookEndpoint } from './endpoint-card.tsx';
import { EventsField, HeadersField, readEvents, readHeaders } from './endpoint-fields.tsx';

interface EndpointDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onDismiss: () => void;
}

/** Changes the events and the headers of a webhook endpoint. */
export function ChangeEndpointDialog({
  endpoint: { id, headerNames, ...endpoint },
  onDismiss,
}: EndpointDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  // Another operator may change the events meanwhile. Only what this one touched counts as a change.
  const [before] = useState(endpoint.events);
  const [replaces, setReplaces] = useState(false);
  return (
    <FormDialog
      title={`Change endpoint ${id}`}
      submitLabel="Save"
      action={action}
      onDismiss={onDismiss}
      shownIssues={['events', 'headers']}
      onSubmit={async (form) => {
        const headers = replaces ? readHeaders(form) : null;
        const typed = readEvents(form);
        const events = typed.join() === before.join() ? null : typed;
        await request(updateWebhookEndpointMutation, { endpointId: id, events, headers });
        await refresh();
        onDismiss();
        notify(`Endpoint ${id} was changed.`);
      }}
    >
      <EventsField events={before} problem={action.problem} />
      <Field label="Headers of messages">
        {(control) => (
          <select
            {...control}
            value={replaces ? 'replace' : 'keep'}
            onInput={({ currentTarget }) => setReplaces(currentTarget.value === 'replace')}
          >
            <option value="keep">{headerNames.length > 0 ? `Keep ${headerNames.join(', ')}` : 'None'}</option>
            <option value="replace">
              {headerNames.length > 0 ? 'Replace all, or remove them' : 'Add headers'}
            </option>
          </select>
        )}
      </Field>
      {replaces && <HeadersField problem={action.problem} />}
    </FormDialog>
  );
}
