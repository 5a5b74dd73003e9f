import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { removePrivateKeyMutation } from './documents.ts';

/** Deletes the private key after the person has confirmed. */
export function RemovePrivateKeyDialog({ onDismiss }: { readonly onDismiss: () => void }) {
  const { request, refresh, notify } = useHost();
  const { text } = useLanguage();
  const action = useAction();
  return (
    <FormDialog
      title={text('private-key.remove-title')}
      submitLabel={text('private-key.do-remove')}
      danger
      action={action}
      onDismiss={onDismiss}
      onSubmit={async () => {
        await request(removePrivateKeyMutation, {});
        await refresh();
        onDismiss();
        notify(text('private-key.was-removed'));
      }}
    >
      <p>{text('private-key.remove-effect')}</p>
    </FormDialog>
  );
}
