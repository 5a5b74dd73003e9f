import { duration } from '../../shared/times.ts';
import { settings } from '../../sign-in/settings.ts';
import { Field } from '../ui/field.tsx';

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

const { min, max } = settings.sessionDuration;

/** The length of a session, in seconds, with the same in words beside the field. */
export function DurationField({ text, issue, onChange }: DurationFieldProps) {
  return (
    <Field
      label="Session length"
      hint={`In seconds, ${min} to ${max} (${duration(min)} to ${duration(max)}). Leave empty to clear the setting.`}
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
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <output htmlFor={control.id}>{inWords(text)}</output>
        </div>
      )}
    </Field>
  );
}
