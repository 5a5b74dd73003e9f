import { Field } from '../ui/field.tsx';
import { useLanguage } from '../ui/host.ts';

interface NameFieldProps {
  readonly name?: string | null;
  readonly issue: string | undefined;
}

/** Asks for the name of a key. */
export function NameField({ name = null, issue }: NameFieldProps) {
  const { text } = useLanguage();
  return (
    <Field label={text('keys.name')} hint={text('keys.name-hint')} issue={issue}>
      {(control) => (
        <input {...control} name="name" type="text" autoComplete="off" defaultValue={name ?? ''} />
      )}
    </Field>
  );
}

interface DescriptionFieldProps {
  readonly description?: string | null;
  readonly issue: string | undefined;
}

/** Asks for the description of a key. */
export function DescriptionField({ description = null, issue }: DescriptionFieldProps) {
  const { text } = useLanguage();
  return (
    <Field label={text('keys.description')} hint={text('keys.description-hint')} issue={issue}>
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
}
