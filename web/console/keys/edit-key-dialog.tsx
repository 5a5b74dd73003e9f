import { useState } from 'preact/compat';
import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { type ApiKey, headingId, nameOf, stateOf } from './api-key.ts';
import { updateApiKeyMutation } from './documents.ts';
import { ExpiryFields } from './expiry-fields.tsx';
import { LabelFields } from './label-fields.tsx';
import { LimitFields } from './limit-fields.tsx';
import { PermissionsField } from './permissions-field.tsx';
import { keyArguments, readKeyForm, readName } from './read-key-form.ts';

interface EditKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onDismiss: () => void;
}

/** Edits a key. If the key is inactive or has expired, only its name can change. */
export function EditKeyDialog({ apiKey, onDismiss }: EditKeyDialogProps) {
  // The list may be fetched again meanwhile. Only what the person touched counts as a change.
  const [before] = useState(apiKey);
  const [usable] = useState(() => stateOf(apiKey, new Date()) === 'active');
  const action = useAction();
  const { problem } = action;
  const verb = usable ? 'Edit' : 'Rename';
  const save = async (form: FormData) => {
    const name = readName(form);
    const changes = usable ? readKeyForm(form, new Date(), before) : name !== before.name && { name };
    if (!changes || Object.keys(changes).length === 0) {
      onDismiss();
      return notify('No changes to save.');
    }
    const { updateApiKey } = await request(updateApiKeyMutation, { keyId: before.id, ...changes });
    await refresh();
    onDismiss();
    notify(`${nameOf(updateApiKey)} was saved.`);
  };
  return (
    <FormDialog
      title={`${verb} ${nameOf(before)}`}
      submitLabel={usable ? 'Save changes' : verb}
      action={action}
      onDismiss={onDismiss}
      fallbackFocus={headingId(before)}
      shownIssues={keyArguments}
      onSubmit={save}
    >
      <LabelFields problem={problem} before={before} isNameAlone={!usable} />
      {usable && (
        <>
          <PermissionsField before={before.permissions} issue={problem?.issueOf('permissions')} />
          <ExpiryFields issue={problem?.issueOf('expiresAt')} current={before.expiresAt} />
          <LimitFields problem={problem} before={before} />
        </>
      )}
    </FormDialog>
  );
}
