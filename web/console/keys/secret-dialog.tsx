import { useEffect } from 'preact/compat';
import { settings } from '../../sign-in/settings.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyField } from './copy-field.tsx';

/** A secret that was just made. */
export interface NewSecret {
  /** What came about, in a sentence. */
  readonly title: string;
  readonly key: string;
}

interface SecretDialogProps {
  readonly secret: NewSecret;
  readonly onDone: () => void;
}

/** Asks before the page is left. */
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Tries a key: it asks for its own record. */
const commandFor = (key: string) =>
  `curl -i ${location.origin}/api/v1/keys/self -H '${settings.apiKeyHeader}: ${key}'`;

/** Shows a secret, this once: only the button leaves it, so that no slip of a finger loses what cannot come back. */
export function SecretDialog({ secret: { title, key }, onDone }: SecretDialogProps) {
  useEffect(() => {
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, []);
  return (
    <Dialog title={title} onDismiss={onDone} dismissible={false}>
      <p className="warning">
        Copy the secret now and keep it safe. It is shown this once; nobody can show it to you again.
      </p>
      <div className="copy-fields">
        <CopyField label="Secret" text={key} main />
        <CopyField
          label="Command to try it"
          text={commandFor(key)}
          hint="It answers 200 while the key is valid. Programs send the key the same way."
        />
      </div>
      <div className="dialog-actions">
        <Button onClick={onDone}>I have stored it</Button>
      </div>
    </Dialog>
  );
}
