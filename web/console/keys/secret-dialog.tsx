import { useEffect } from 'preact/compat';
import { settings } from '../../sign-in/settings.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyField } from './copy-field.tsx';

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

/** Makes the browser ask before the person leaves the page. */
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** A command that tests a key: the key asks for its own record. */
const commandFor = (key: string) =>
  `curl -i ${location.origin}/api/v1/keys/self -H '${settings.apiKeyHeader}: ${key}'`;

/** Shows a secret, only once. Only the button closes the dialog, so that nobody loses the secret by a slip. */
export function SecretDialog({ secret: { title, key }, onDone }: SecretDialogProps) {
  useEffect(() => {
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, []);
  return (
    <Dialog title={title} onDismiss={onDone} dismissible={false}>
      <p className="warning">Copy the secret now and store it safely. This page shows it only once.</p>
      <div className="copy-fields">
        <CopyField label="Secret" text={key} main />
        <CopyField
          label="Command to test the key"
          text={commandFor(key)}
          hint="It returns 200 if the key is valid. Programs send the key in the same header."
        />
      </div>
      <div className="dialog-actions">
        <Button onClick={onDone}>I have stored it</Button>
      </div>
    </Dialog>
  );
}
