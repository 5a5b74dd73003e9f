import { type ReactNode, useEffect } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useLanguage } from '../ui/host.ts';

interface OnceDialogProps {
  /** What happened, in a sentence. */
  readonly title: string;
  readonly onDone: () => void;
  /** The secret, and what goes with it. */
  readonly children: ReactNode;
}

/** Makes the browser ask before the person leaves the page. */
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Shows a secret, only once. Only the button closes the dialog, so that nobody loses the secret by a slip. */
export function OnceDialog({ title, onDone, children }: OnceDialogProps) {
  const { text } = useLanguage();
  useEffect(() => {
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, []);
  return (
    <Dialog title={title} onDismiss={onDone} dismissible={false}>
      <p className="warning">{text('keys.once')}</p>
      <div className="fields">{children}</div>
      <div className="dialog-actions">
        <Button onClick={onDone}>{text('keys.once-done')}</Button>
      </div>
    </Dialog>
  );
}
