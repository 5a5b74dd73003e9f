import { type ApiKey, nameOf, stateOf } from '../keys/api-key.ts';
import { deactivateApiKeyMutation } from '../keys/documents.ts';
import { LastUse } from '../keys/last-use.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { useNow } from '../ui/use-now.ts';

interface DeactivateKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Deactivates a key after the person has seen which one it is. */
export function DeactivateKeyDialog({ apiKey, onDismiss }: DeactivateKeyDialogProps) {
  const { request, refresh, notify, setParams } = useHost();
  const action = useAction();
  const name = nameOf(apiKey);
  const canPause = stateOf(apiKey, useNow()) === 'active';
  return (
    <FormDialog
      title={`Deactivate ${name}?`}
      submitLabel={`Deactivate ${name}`}
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(deactivateApiKeyMutation, { keyId: apiKey.id });
        await refresh();
        onDismiss();
        notify(`${name} was deactivated.`);
      }}
    >
      <p>
        The key that begins with <code>{apiKey.keyPrefix}</code> stops working at once in every program that
        uses it. You cannot undo this.
      </p>
      <LastUse apiKey={apiKey} />
      {canPause && (
        <p>
          Not sure? You can resume a paused key.{' '}
          <Button look="quiet" onClick={() => setParams({ do: 'pause' })}>
            Pause it instead…
          </Button>
        </p>
      )}
    </FormDialog>
  );
}
