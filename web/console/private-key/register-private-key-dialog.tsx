import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { registerPrivateKeyMutation } from './documents.ts';
import { readPrivateKey } from './read-private-key.ts';

interface RegisterPrivateKeyDialogProps {
  /** Whether there is one already. */
  readonly replaces: boolean;
  readonly onDismiss: () => void;
}

/** Registers a private key, in place of any that is there. What is typed is held by the field alone. */
export function RegisterPrivateKeyDialog({ replaces, onDismiss }: RegisterPrivateKeyDialogProps) {
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
        notify(replaces ? 'Your private key is replaced.' : 'Your private key is registered.');
      }}
    >
      {replaces && <p>The one that is registered now is forgotten.</p>}
      <Field
        label="Private key"
        hint="A private key of secp256k1: 64 hexadecimal digits, with 0x before them or without."
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
