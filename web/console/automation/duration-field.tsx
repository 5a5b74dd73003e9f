import { duration } from '../../shared/times.ts';
import { settings } from '../../sign-in/settings.ts';
import { Field } from '../ui/field.tsx';
import { readDuration } from './read-duration.ts';

interface DurationFieldProps {
  readonly text: string;
  readonly issue: string | undefined;
  readonly onChange: (text: string) => void;
}

/** What was typed, in words; nothing if it is no length of time yet. */
const inWords = (text: string): string => {
  try {
    const seconds = readDuration(text);
    return seconds === null ? 'Not set' : duration(seconds);
  } catch {
    return '';
  }
};

const { min, max } = settings.sessionDuration;

/** The length of a session, in seconds, with the same in words beside the field. */
export function DurationField({ text, issue, onChange }: DurationFieldProps) {
  return (
    <Field
      label="Session length"
      hint={`${duration(min)} to ${duration(max)}, in seconds or with a unit: 3600, 90 min, 1 h. If it is empty, your provider decides.`}
      issue={issue}
    >
      {(control) => (
        <div className="with-unit">
          <input
            {...control}
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
