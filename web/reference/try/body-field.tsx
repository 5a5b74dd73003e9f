import { useRef } from 'preact/compat';
import type { FoundOperation } from '../description/operations.ts';
import { beginBody } from './fields.ts';
import { bodyName } from './read-form.ts';

interface BodyFieldProps {
  readonly found: FoundOperation;
  readonly fault: string | undefined;
}

/** The field for a JSON body. It begins with the required members. */
export function BodyField({ found, fault }: BodyFieldProps) {
  const id = `${found.id}-body`;
  const field = useRef<HTMLTextAreaElement>(null);
  const [required, all] = [beginBody(found, 'required'), beginBody(found, 'all')];
  const fill = () => {
    if (field.current) field.current.value = all;
    field.current?.focus();
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        Body <span className="note">JSON</span>
      </label>
      <textarea
        ref={field}
        id={id}
        name={bodyName}
        rows={4}
        defaultValue={required}
        autoCapitalize="off"
        spellcheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
      />
      <p className="fault" id={`${id}-fault`}>
        {fault}
      </p>
      {all !== required && (
        <button type="button" className="button fill" onClick={fill}>
          Fill in the example
        </button>
      )}
    </div>
  );
}
