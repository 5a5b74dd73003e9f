import { useRef, useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
  readonly hint?: string;
  /** Whether its button is the main one of the dialog. */
  readonly main?: boolean;
}

/** A text with a button that copies it. */
export function CopyField({ label, text, hint, main = false }: CopyFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState('');
  const copy = async () => {
    area.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      setCopied('Copied.');
    } catch {
      // The page came over plain HTTP, or the browser forbids it.
      setCopied('Your browser does not let this page copy. Copy the selected text yourself.');
    }
  };
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div className="copy-field">
          <textarea
            rows={3}
            {...control}
            ref={area}
            className="mono"
            readOnly
            value={text}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <div className="copy-row">
            <Button look={main ? 'primary' : 'plain'} onClick={copy}>
              Copy{!main && <span className="visually-hidden"> {label.toLowerCase()}</span>}
            </Button>
            <p className="hint" role="status">
              {copied}
            </p>
          </div>
        </div>
      )}
    </Field>
  );
}
