import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { type ApiKey, nameOf } from './api-key.ts';
import { renameApiKeyMutation } from './documents.ts';
import { NameField, readName } from './name-field.tsx';

interface RenameKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Gives a key another name. */
export function RenameKeyDialog({ apiKey, onDismiss }: RenameKeyDialogProps) {
  const action = useAction();
  return (
    <FormDialog
      title={`Rename ${nameOf(apiKey)}`}
      submitLabel="Rename"
      action={action}
      onDismiss={onDismiss}
      shownIssues={['name']}
      onSubmit={async (form) => {
        const name = readName(form);
        await request(renameApiKeyMutation, { keyId: apiKey.id, name });
        await refresh();
        onDismiss();
        notify(name === null ? `API key ${apiKey.id} has no name now.` : `Renamed to ${name}.`);
      }}
    >
      <NameField issue={action.problem?.issueOf('name')} defaultValue={apiKey.name ?? ''} />
    </FormDialog>
  );
}
