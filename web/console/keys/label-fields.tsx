import type { Problem } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import type { KeyParts } from './read-key-form.ts';

interface LabelFieldsProps {
  readonly problem: Problem | undefined;
  /** The key as it is; undefined for a new one. */
  readonly before?: KeyParts;
  /** Whether the name is all that can be changed. */
  readonly isNameAlone?: boolean;
}

/** Asks by what a person knows a key: its name and its description. */
export const LabelFields = ({ problem, before, isNameAlone = false }: LabelFieldsProps) => (
  <>
    <Field
      label="Name"
      hint="Where it is used, such as “Build server”. It may be left empty."
      issue={problem?.issueOf('name')}
    >
      {(control) => (
        <input {...control} name="name" type="text" autoComplete="off" defaultValue={before?.name ?? ''} />
      )}
    </Field>
    {!isNameAlone && (
      <Field
        label="Description"
        hint="What you want to remember of it. It may be left empty."
        issue={problem?.issueOf('description')}
      >
        {(control) => (
          <textarea
            {...control}
            name="description"
            rows={2}
            autoComplete="off"
            defaultValue={before?.description ?? ''}
          />
        )}
      </Field>
    )}
  </>
);
