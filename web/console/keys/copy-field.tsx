import { type ReactNode, useRef, useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { useLanguage } from '../ui/host.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly text: string;
  readonly hint?: string;
  /** What its button says. Default: `Copy`. */
  readonly copyLabel?: ReactNode;
  /** Whether its button is the main one of the dialog. */
  readonly main?: boolean;
}

/** A text with a button that copies it. */
export function CopyField({ label, text, hint, copyLabel, main = false }: CopyFieldProps) {
  const language = useLanguage();
  const area = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState('');
  const copy = async () => {
    area.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(language.text('keys.copied'));
    } catch {
      // The page came over plain HTTP, or the browser forbids it.
      setCopied(language.text('keys.not-copied'));
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
              {copyLabel ?? language.text('keys.copy')}
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
