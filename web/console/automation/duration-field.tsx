import { Field } from '../ui/field.tsx';
import { duration } from '../ui/words.ts';

interface DurationFieldProps {
  readonly text: string;
  readonly issue: string | undefined;
  readonly onChange: (text: string) => void;
}

const inWords = (text: string) => {
  const seconds = Number(text);
  if (text.trim() === '') return 'Not set';
  return Number.isInteger(seconds) && seconds > 0 ? duration(seconds) : '';
};

/** The length of a session in seconds, and in words beside it. */
export function DurationField({ text, issue, onChange }: DurationFieldProps) {
  return (
    <Field
      label="Length of a session"
      hint="In seconds, 60 to 86400 unless configured otherwise. Leave it empty to set none."
      issue={issue}
    >
      {(control) => (
        <div className="with-unit">
          <input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            className="number"
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
          <output htmlFor={control.id}>{inWords(text)}</output>
        </div>
      )}
    </Field>
  );
}
