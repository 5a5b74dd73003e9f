import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
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
  const language = useLanguage();
  const { text } = language;
  const action = useAction();
  return (
    <FormDialog
      title={text(replaces ? 'private-key.replace-title' : 'private-key.register-title')}
      submitLabel={text(replaces ? 'private-key.do-replace' : 'private-key.do-register')}
      action={action}
      onDismiss={onDismiss}
      shownIssues={['privateKey']}
      onSubmit={async (form) => {
        await request(registerPrivateKeyMutation, { privateKey: readPrivateKey(language, form) });
        await refresh();
        onDismiss();
        notify(text(replaces ? 'private-key.was-replaced' : 'private-key.was-registered'));
      }}
    >
      {replaces && <p>{text('private-key.replace-effect')}</p>}
      <Field
        label={text('private-key.label')}
        hint={text('private-key.hint')}
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
