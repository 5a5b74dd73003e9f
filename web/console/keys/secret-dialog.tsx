import { settings } from '../../sign-in/settings.ts';
import { CopyField } from './copy-field.tsx';
import { OnceDialog } from './once-dialog.tsx';

/** A secret that was just created. */
export interface NewSecret {
  /** What happened, in a sentence. */
  readonly title: string;
  readonly key: string;
}

interface SecretDialogProps {
  readonly secret: NewSecret;
  readonly onDone: () => void;
}

/** A command that tests a key: the key asks for its own record. */
const commandFor = (key: string) =>
  `curl -i ${location.origin}/api/v1/keys/self -H '${settings.apiKeyHeader}: ${key}'`;

/** Shows the secret of an API key, only once. */
export const SecretDialog = ({ secret: { title, key }, onDone }: SecretDialogProps) => (
  <OnceDialog title={title} onDone={onDone}>
    <CopyField label="Secret" text={key} main />
    <CopyField
      label="Command to test the key"
      text={commandFor(key)}
      hint="It returns 200 if the key is valid. Programs send the key in the same header."
    />
  </OnceDialog>
);
