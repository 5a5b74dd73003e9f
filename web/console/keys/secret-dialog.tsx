import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';

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

/** Shows a secret, this once: only the button leaves it, so that no slip of a finger loses what cannot come back. */
export function SecretDialog({ secret: { title, key }, onDone }: SecretDialogProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState('');
  useEffect(() => {
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, []);
  const copy = async () => {
    text.current?.select();
    try {
      await navigator.clipboard.writeText(key);
      setCopied('Copied.');
    } catch {
      // Plain http, or the browser forbids it.
      setCopied('The browser does not let this page copy. The secret is selected: copy it yourself.');
    }
  };
  return (
    <Dialog title={title} onDismiss={onDone} dismissible={false}>
      <p className="warning">
        Copy the secret now and keep it safe. It is shown this once; nobody can show it to you again.
      </p>
      <Field label="Secret">
        {(control) => (
          <div className="secret">
            <textarea
              rows={3}
              {...control}
              ref={text}
              className="mono"
              readOnly
              value={key}
              onFocus={({ target }) => target.select()}
            />
            <Button look="primary" onClick={copy}>
              Copy
            </Button>
          </div>
        )}
      </Field>
      <p className="hint copied" role="status">
        {copied}
      </p>
      <div className="dialog-actions">
        <Button onClick={onDone}>I have stored it</Button>
      </div>
    </Dialog>
  );
}
