import { CopyField } from '../../keys/copy-field.tsx';
import { OnceDialog } from '../../keys/once-dialog.tsx';
import { useLanguage } from '../../ui/host.ts';

/** A signing secret that was just created. */
export interface NewSigningSecret {
  /** What happened, in a sentence. */
  readonly title: string;
  readonly secret: string;
}

interface SigningSecretDialogProps {
  readonly created: NewSigningSecret;
  readonly onDone: () => void;
}

/** Shows a signing secret, only once. */
export function SigningSecretDialog({ created: { title, secret }, onDone }: SigningSecretDialogProps) {
  const { text } = useLanguage();
  return (
    <OnceDialog title={title} onDone={onDone}>
      <CopyField
        label={text('operate.signing-secret')}
        text={secret}
        hint={text('operate.signing-secret-hint')}
        main
      />
    </OnceDialog>
  );
}
