import { FormDialog } from '../../ui/form-dialog.tsx';
import { useHost } from '../../ui/host.ts';
import { useAction } from '../../ui/use-action.ts';
import { removeWebhookEndpointMutation } from './documents.ts';
import type { WebhookEndpoint } from './endpoint-card.tsx';

interface RemoveEndpointDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onDismiss: () => void;
}

/** Removes a webhook endpoint after the operator has confirmed. */
export function RemoveEndpointDialog({
  endpoint: { id, waitingCount },
  onDismiss,
}: RemoveEndpointDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  return (
    <FormDialog
      title={`Remove endpoint ${id}?`}
      submitLabel="Remove"
      danger
      fallbackFocus="endpoint"
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(removeWebhookEndpointMutation, { endpointId: id });
        await refresh();
        onDismiss();
        notify(`Endpoint ${id} was removed.`);
      }}
    >
      <p>
        Nothing more is sent to it
        {waitingCount === 1 && ', not even the delivery that waits'}
        {waitingCount > 1 && `, not even the ${waitingCount} deliveries that wait`}. Its secret is deleted.
      </p>
    </FormDialog>
  );
}
