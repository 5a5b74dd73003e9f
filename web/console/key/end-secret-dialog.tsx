import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { endApiKeySecretMutation } from '../keys/documents.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useAction } from '../ui/use-action.ts';

interface EndSecretDialogProps {
  readonly apiKey: ApiKey;
  /** Everything before the dot of the secret. */
  readonly prefix: string;
  readonly onDismiss: () => void;
}

/** Ends a previous secret of a key. */
export function EndSecretDialog({ apiKey, prefix, onDismiss }: EndSecretDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  const { lastUsedAt } = apiKey.secrets.find((secret) => secret.prefix === prefix) ?? { lastUsedAt: null };
  return (
    <FormDialog
      title="End this secret?"
      submitLabel="End now"
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(endApiKeySecretMutation, { keyId: apiKey.id, prefix });
        await refresh();
        onDismiss();
        notify(`The secret ${prefix} was ended.`);
      }}
    >
      <p>
        The secret of <bdi>{nameOf(apiKey)}</bdi> that begins with <code>{prefix}</code> stops working at
        once. The current secret continues to work. You cannot undo this.
      </p>
      <p>
        {lastUsedAt === null ? (
          'This secret has not been used.'
        ) : (
          <>
            Last used <Moment at={lastUsedAt} />.
          </>
        )}
      </p>
    </FormDialog>
  );
}
