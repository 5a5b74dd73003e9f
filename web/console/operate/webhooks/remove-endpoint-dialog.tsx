import { FormDialog } from '../../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
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
  const { text } = useLanguage();
  const action = useAction();
  return (
    <FormDialog
      title={text('operate.remove-title', { id })}
      submitLabel={text('operate.do-remove')}
      danger
      fallbackFocus="endpoint"
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(removeWebhookEndpointMutation, { endpointId: id });
        await refresh();
        onDismiss();
        notify(text('operate.endpoint-removed', { id }));
      }}
    >
      <p>{text('operate.remove-effect', { count: waitingCount })}</p>
    </FormDialog>
  );
}
