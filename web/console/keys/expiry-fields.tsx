import { useState } from 'preact/compat';
import { absolute } from '../../shared/times.ts';
import { Field } from '../ui/field.tsx';

/** After how many days a key may expire. */
const spans = [7, 30, 90, 365];

interface ExpiryFieldsProps {
  readonly issue: string | undefined;
  /** When the key expires so far; null: never. Undefined for a new key. */
  readonly current?: string | null;
}

/** What is chosen before the person has chosen: what a key has, or 90 days for a new one. */
const firstChoice = (current: string | null | undefined): string => {
  if (current === undefined) return '90';
  return current === null ? 'never' : 'stays';
};

/** Asks when a key is to expire. */
export function ExpiryFields({ issue, current }: ExpiryFieldsProps) {
  const [expiry, setExpiry] = useState(firstChoice(current));
  const ownDate = expiry === 'date';
  return (
    <>
      <Field label="Expires" issue={ownDate ? undefined : issue}>
        {(control) => (
          <select
            {...control}
            name="expiry"
            value={expiry}
            onChange={({ currentTarget }) => setExpiry(currentTarget.value)}
          >
            {current && <option value="stays">{`As it is: ${absolute(new Date(current))}`}</option>}
            {spans.map((days) => (
              <option key={days} value={days}>
                {days === 365 ? 'In a year' : `In ${days} days`}
              </option>
            ))}
            <option value="date">On a date of your choice</option>
            <option value="never">Never</option>
          </select>
        )}
      </Field>
      {ownDate && (
        <Field label="Date and time" hint="In your time zone." issue={issue}>
          {(control) => <input {...control} name="expires-at" type="datetime-local" />}
        </Field>
      )}
    </>
  );
}
