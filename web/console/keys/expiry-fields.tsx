import { useState } from 'preact/compat';
import { absolute } from '../../shared/times.ts';
import { useLongestLife } from '../plan/use-entitlement.ts';
import { Field } from '../ui/field.tsx';
import { daysInWords } from './limits-in-words.ts';

/** The choices for the life of a key, in days. */
const spans = [7, 30, 90, 365];

interface ExpiryFieldsProps {
  readonly issue: string | undefined;
  /** The current expiry; null if the key never expires, undefined for a new key. */
  readonly current?: string | null;
}

/** The default for a new key, in days. */
const usual = 90;

/**
 * The choice at first: the current expiry of a key, or 90 days for a new one.
 * @param most the most days that the plan allows
 */
const firstChoice = (current: string | null | undefined, most: number): string => {
  if (current === undefined) return most > usual ? `${usual}` : 'never';
  return current === null ? 'never' : 'stays';
};

/** Asks when a key expires. */
export function ExpiryFields({ issue, current }: ExpiryFieldsProps) {
  const most = useLongestLife();
  const [expiry, setExpiry] = useState(firstChoice(current, most));
  const ownDate = expiry === 'date';
  return (
    <>
      <Field label="Expires" issue={ownDate ? undefined : issue}>
        {(control) => (
          <select
            {...control}
            name="expiry"
            value={expiry}
            onInput={({ currentTarget }) => setExpiry(currentTarget.value)}
          >
            {current && <option value="stays">{`Keep: ${absolute(new Date(current))}`}</option>}
            {spans
              .filter((days) => days < most)
              .map((days) => (
                <option key={days} value={days}>
                  {days === 365 ? 'In a year' : `In ${days} days`}
                </option>
              ))}
            <option value="date">On a date that you choose</option>
            {most === Number.POSITIVE_INFINITY && <option value="never">Never</option>}
            {most < Number.POSITIVE_INFINITY && !current && (
              <option value="never">
                {current === null ? 'Keep: never' : `In ${daysInWords(most)}, the most that your plan allows`}
              </option>
            )}
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
