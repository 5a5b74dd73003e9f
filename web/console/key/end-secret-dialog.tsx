import { type ApiKey, nameOf } from '../keys/api-key.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useAction } from '../ui/use-action.ts';
import { endApiKeySecretMutation } from './documents.ts';

interface EndSecretDialogProps {
  readonly apiKey: ApiKey;
  /** Everything before the dot of the secret. */
  readonly prefix: string;
  readonly onDismiss: () => void;
}

/** Ends a previous secret of a key. */
export function EndSecretDialog({ apiKey, prefix, onDismiss }: EndSecretDialogProps) {
  const { request, refresh, notify } = useHost();
  const language = useLanguage();
  const { text, rich } = language;
  const action = useAction();
  const { lastUsedAt } = apiKey.secrets.find((secret) => secret.prefix === prefix) ?? { lastUsedAt: null };
  return (
    <FormDialog
      title={text('key.end-secret-title')}
      submitLabel={text('key.end-secret-submit')}
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(endApiKeySecretMutation, { keyId: apiKey.id, prefix });
        await refresh();
        onDismiss();
        notify(text('key.end-secret-done', { prefix }));
      }}
    >
      <p>
        {rich('key.end-secret-what', {
          name: <bdi>{nameOf(language, apiKey)}</bdi>,
          prefix: <code>{prefix}</code>,
        })}
      </p>
      <p>
        {lastUsedAt === null
          ? text('key.end-secret-unused')
          : rich('key.end-secret-used', { at: <Moment at={lastUsedAt} /> })}
      </p>
    </FormDialog>
  );
}
