import { Field } from '../ui/field.tsx';

interface NameFieldProps {
  readonly issue: string | undefined;
  readonly defaultValue?: string;
}

/** Asks for a key's name. */
export const NameField = ({ issue, defaultValue = '' }: NameFieldProps) => (
  <Field label="Name" hint="Where it is used, such as “Build server”. It may be left empty." issue={issue}>
    {(control) => (
      <input {...control} name="name" type="text" autoComplete="off" defaultValue={defaultValue} />
    )}
  </Field>
);
