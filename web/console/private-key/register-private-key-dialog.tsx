import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { registerPrivateKeyMutation } from './documents.ts';
import { readPrivateKey } from './read-private-key.ts';

interface RegisterPrivateKeyDialogProps {
  /** Whether a private key is registered already. */
  readonly replaces: boolean;
  readonly onDismiss: () => void;
}

/** Registers a private key and replaces any earlier one. Only the field holds what is typed. */
export function RegisterPrivateKeyDialog({ replaces, onDismiss }: RegisterPrivateKeyDialogProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  return (
    <FormDialog
      title={replaces ? 'Replace your private key' : 'Register a private key'}
      submitLabel={replaces ? 'Replace' : 'Register'}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['privateKey']}
      onSubmit={async (form) => {
        await request(registerPrivateKeyMutation, { privateKey: readPrivateKey(form) });
        await refresh();
        onDismiss();
        notify(replaces ? 'Your private key was replaced.' : 'Your private key was registered.');
      }}
    >
      {replaces && <p>This deletes your current private key.</p>}
      <Field
        label="Private key"
        hint="A secp256k1 private key: 64 hexadecimal digits, with or without 0x in front."
        issue={action.problem?.issueOf('privateKey')}
      >
        {(control) => (
          <input
            {...control}
            name="private-key"
            type="password"
            className="mono"
            autoComplete="off"
            spellcheck={false}
          />
        )}
      </Field>
    </FormDialog>
  );
}
