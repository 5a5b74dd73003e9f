import { type ReactNode, useId } from 'preact/compat';

/** The attributes that tie a control to its label, its hint and its error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong with the value, in a sentence. */
  readonly issue?: string | undefined;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A labelled control of a form. */
export function Field({ label, hint, issue, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, issue && `${id}-issue`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': issue === undefined ? undefined : true,
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {issue && (
        <p className="issue" id={`${id}-issue`} role="alert">
          {issue}
        </p>
      )}
    </div>
  );
}
