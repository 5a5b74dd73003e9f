import { Field } from './field.tsx';
import { useLanguage } from './host.ts';

/** How long a secret that is replaced may be of use, in seconds. */
const graces = [3_600, 86_400, 604_800];

interface GraceFieldProps {
  readonly label: string;
  readonly issue: string | undefined;
  /** In seconds; a day unless it must stop at once. */
  readonly initial?: 0 | 86_400;
}

/** How long the current secret stays of use after a rotation: the field `grace` of a form. */
export function GraceField({ label, issue, initial = 86_400 }: GraceFieldProps) {
  const { text, duration } = useLanguage();
  return (
    <Field label={label} issue={issue}>
      {(control) => (
        <select {...control} name="grace" defaultValue={initial}>
          <option value={0}>{text('key.no-grace')}</option>
          {graces.map((seconds) => (
            <option key={seconds} value={seconds}>
              {duration(seconds)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What was chosen in a {@link GraceField}, in seconds. */
export const readGrace = (form: FormData): number => Number(form.get('grace'));
