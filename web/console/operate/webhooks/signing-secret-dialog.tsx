import { CopyField } from '../../keys/copy-field.tsx';
import { OnceDialog } from '../../keys/once-dialog.tsx';

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
export const SigningSecretDialog = ({ created: { title, secret }, onDone }: SigningSecretDialogProps) => (
  <OnceDialog title={title} onDone={onDone}>
    <CopyField
      label="Signing secret"
      text={secret}
      hint="Your receiver verifies the signature of each message with it (Standard Webhooks)."
      main
    />
  </OnceDialog>
);
