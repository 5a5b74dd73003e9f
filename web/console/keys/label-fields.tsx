import { Field } from '../ui/field.tsx';

interface NameFieldProps {
  readonly name?: string | null;
  readonly issue: string | undefined;
}

/** Asks for the name of a key. */
export const NameField = ({ name = null, issue }: NameFieldProps) => (
  <Field label="Name" hint="The program that uses the key, such as “Build server”. Optional." issue={issue}>
    {(control) => <input {...control} name="name" type="text" autoComplete="off" defaultValue={name ?? ''} />}
  </Field>
);

interface DescriptionFieldProps {
  readonly description?: string | null;
  readonly issue: string | undefined;
}

/** Asks for the description of a key. */
export const DescriptionField = ({ description = null, issue }: DescriptionFieldProps) => (
  <Field label="Description" hint="What you want to remember about the key. Optional." issue={issue}>
    {(control) => (
      <textarea
        {...control}
        name="description"
        rows={2}
        autoComplete="off"
        defaultValue={description ?? ''}
      />
    )}
  </Field>
);
