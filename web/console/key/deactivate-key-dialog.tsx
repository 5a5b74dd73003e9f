import { type ApiKey, nameOf, stateOf } from '../keys/api-key.ts';
import { deactivateApiKeyMutation } from '../keys/documents.ts';
import { LastUse } from '../keys/last-use.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { useNow } from '../ui/use-now.ts';

interface DeactivateKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Deactivates a key after the person has seen which one it is. */
export function DeactivateKeyDialog({ apiKey, onDismiss }: DeactivateKeyDialogProps) {
  const { request, refresh, notify, setParams } = useHost();
  const language = useLanguage();
  const { text, rich } = language;
  const action = useAction();
  const name = nameOf(language, apiKey);
  const canPause = stateOf(apiKey, useNow()) === 'active';
  return (
    <FormDialog
      title={text('key.deactivate-title', { name })}
      submitLabel={text('key.deactivate-submit', { name })}
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(deactivateApiKeyMutation, { keyId: apiKey.id });
        await refresh();
        onDismiss();
        notify(text('key.deactivated', { name }));
      }}
    >
      <p>{rich('key.deactivate-what', { prefix: <code>{apiKey.keyPrefix}</code> })}</p>
      <LastUse apiKey={apiKey} />
      {canPause && (
        <p>
          {text('key.not-sure')}{' '}
          <Button look="quiet" onClick={() => setParams({ do: 'pause' })}>
            {text('key.pause-instead')}
          </Button>
        </p>
      )}
    </FormDialog>
  );
}
