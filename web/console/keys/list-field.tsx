import type { ReactNode } from 'preact/compat';
import { Field } from '../ui/field.tsx';

interface ListFieldProps {
  readonly label: string;
  readonly name: string;
  readonly list: readonly string[] | undefined;
  readonly hint: ReactNode;
  readonly issue: string | undefined;
}

/** Asks for names or addresses, one per line. */
export const ListField = ({ label, name, list = [], hint, issue }: ListFieldProps) => (
  <Field label={label} hint={hint} issue={issue}>
    {(control) => (
      <textarea
        {...control}
        name={name}
        className="mono"
        rows={2}
        autoCapitalize="none"
        autoComplete="off"
        spellcheck={false}
        dir="ltr"
        defaultValue={list.join('\n')}
      />
    )}
  </Field>
);
