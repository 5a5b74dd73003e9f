import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { removePrivateKeyMutation } from './documents.ts';

/** Deletes the private key after the person has confirmed. */
export function RemovePrivateKeyDialog({ onDismiss }: { readonly onDismiss: () => void }) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  return (
    <FormDialog
      title="Remove your private key?"
      submitLabel="Remove private key"
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(removePrivateKeyMutation, {});
        await refresh();
        onDismiss();
        notify('Your private key was removed.');
      }}
    >
      <p>Automation can no longer sign for you. Keyward keeps no copy, so make sure that you have one.</p>
    </FormDialog>
  );
}
