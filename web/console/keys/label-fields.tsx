import type { Problem } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import type { KeyParts } from './read-key-form.ts';

interface LabelFieldsProps {
  readonly problem: Problem | undefined;
  /** The current key; undefined for a new one. */
  readonly before?: KeyParts;
  /** Whether only the name can change. */
  readonly isNameAlone?: boolean;
}

/** Asks for the name and the description of a key. */
export const LabelFields = ({ problem, before, isNameAlone = false }: LabelFieldsProps) => (
  <>
    <Field
      label="Name"
      hint="Where the key is used, such as “Build server”. Optional."
      issue={problem?.issueOf('name')}
    >
      {(control) => (
        <input {...control} name="name" type="text" autoComplete="off" defaultValue={before?.name ?? ''} />
      )}
    </Field>
    {!isNameAlone && (
      <Field
        label="Description"
        hint="What you want to remember about the key. Optional."
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
