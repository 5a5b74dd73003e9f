import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { deactivateApiKeyMutation } from '../keys/documents.ts';
import { LastUse } from '../keys/last-use.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';

interface DeactivateKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Deactivates a key after the person has seen which one it is. */
export function DeactivateKeyDialog({ apiKey, onDismiss }: DeactivateKeyDialogProps) {
  const action = useAction();
  const name = nameOf(apiKey);
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
    </FormDialog>
  );
}
