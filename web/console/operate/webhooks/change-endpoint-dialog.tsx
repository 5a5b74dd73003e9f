import { useState } from 'preact/compat';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
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
  const language = useLanguage();
  const { text } = language;
  const action = useAction();
  // Another operator may change the events meanwhile. Only what this one touched counts as a change.
  const [before] = useState(endpoint.events);
  const [replaces, setReplaces] = useState(false);
  return (
    <FormDialog
      title={text('operate.change-title', { id })}
      submitLabel={text('operate.do-change')}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['events', 'headers']}
      onSubmit={async (form) => {
        const headers = replaces ? readHeaders(language, form) : null;
        const typed = readEvents(language, form);
        const events = typed.join() === before.join() ? null : typed;
        await request(updateWebhookEndpointMutation, { endpointId: id, events, headers });
        await refresh();
        onDismiss();
        notify(text('operate.endpoint-changed', { id }));
      }}
    >
      <EventsField events={before} problem={action.problem} />
      <HeadersChoice names={headerNames} replaces={replaces} onChange={setReplaces} />
      {replaces && <HeadersField problem={action.problem} />}
    </FormDialog>
  );
}

interface HeadersChoiceProps {
  /** The names of the headers that the endpoint has. */
  readonly names: readonly string[];
  readonly replaces: boolean;
  readonly onChange: (replaces: boolean) => void;
}

/** Chooses whether the headers stay as they are. */
function HeadersChoice({ names, replaces, onChange }: HeadersChoiceProps) {
  const { text } = useLanguage();
  const has = names.length > 0;
  return (
    <Field label={text('operate.message-headers')}>
      {(control) => (
        <select
          {...control}
          value={replaces ? 'replace' : 'keep'}
          onInput={({ currentTarget }) => onChange(currentTarget.value === 'replace')}
        >
          <option value="keep">
            {has ? text('operate.keep-headers', { names: names.join(', ') }) : text('operate.no-headers')}
          </option>
          <option value="replace">{text(has ? 'operate.replace-headers' : 'operate.add-headers')}</option>
        </select>
      )}
    </Field>
  );
}
