import type { Language } from '../../messages/language.ts';
import { settings } from '../../sign-in/settings.ts';
import { Field } from '../ui/field.tsx';
import { useLanguage } from '../ui/host.ts';
import { readDuration } from './read-duration.ts';

interface DurationFieldProps {
  readonly text: string;
  readonly issue: string | undefined;
  readonly onChange: (text: string) => void;
}

/** What was typed, in words; nothing if it is no length of time yet. */
const inWords = (language: Language, typed: string): string => {
  try {
    const seconds = readDuration(language, typed);
    return seconds === null ? language.text('automation.no-duration') : language.duration(seconds);
  } catch {
    return '';
  }
};

const { min, max } = settings.sessionDuration;

/** The length of a session, in seconds, with the same in words beside the field. */
export function DurationField({ text, issue, onChange }: DurationFieldProps) {
  const language = useLanguage();
  return (
    <Field
      label={language.text('automation.session-length')}
      hint={language.text('automation.session-length-hint', {
        min: language.duration(min),
        max: language.duration(max),
      })}
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
          <output htmlFor={control.id}>{inWords(language, text)}</output>
        </div>
      )}
    </Field>
  );
}
