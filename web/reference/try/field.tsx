import type { Field } from './fields.ts';

interface FieldProps {
  /** The id of the control. */
  readonly id: string;
  readonly field: Field;
  readonly fault: string | undefined;
}

/** A field for a parameter, with its fault. */
export function ParameterField({ id, field, fault }: FieldProps) {
  const { name, place, isRequired, isSecret, value, choices } = field;
  const shared = {
    id,
    name,
    'aria-required': isRequired,
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-fault`,
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        <code>{name}</code>{' '}
        <span className="note">
          {place}
          {isRequired && ', required'}
        </span>
      </label>
      {choices ? (
        <select {...shared}>
          {!isRequired && <option value="">not sent</option>}
          {choices.map((choice) => (
            <option key={choice} selected={choice === value}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type={isSecret ? 'password' : 'text'}
          defaultValue={value}
          autoComplete="off"
          autoCapitalize="off"
          spellcheck={false}
        />
      )}
      <p className="fault" id={`${id}-fault`}>
        {fault}
      </p>
    </div>
  );
}
