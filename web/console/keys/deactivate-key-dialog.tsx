import { useQuery } from '@tanstack/preact-query';
import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Moment } from '../ui/moment.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { apiKeyUsageQuery } from '../usage/documents.ts';
import { type ApiKey, headingId, nameOf } from './api-key.ts';
import { deactivateApiKeyMutation } from './documents.ts';

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
      fallbackFocus={headingId(apiKey)}
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

const day = 24 * 60 * 60_000;

/** Says whether the key is in use: when it was last used, and how often in the last 24 hours. */
function LastUse({ apiKey: { id, lastUsedAt } }: Pick<DeactivateKeyDialogProps, 'apiKey'>) {
  const usage = useQuery({
    queryKey: ['api-key-use', id],
    queryFn: ({ signal }) => {
      const to = new Date();
      const from = new Date(to.getTime() - day).toISOString();
      return request(apiKeyUsageQuery, { keyId: id, from, to: to.toISOString(), by: 'HOUR' }, { signal });
    },
  });
  if (lastUsedAt === null) return <p>The key has never been used.</p>;
  const times = usage.data?.usage.counts
    .filter(({ outcome }) => outcome === 'valid')
    .reduce((sum, { count }) => sum + count, 0);
  return (
    <p>
      Last used <Moment at={lastUsedAt} />
      {times !== undefined && `, ${times.toLocaleString('en')} times in the last 24 hours`}.
    </p>
  );
}
