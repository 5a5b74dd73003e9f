import { useState } from 'react';
import { absolute } from '../../shared/times.ts';
import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';

const day = 86_400_000;
const spans = [7, 30, 90, 365];

/**
 * When a key is to expire, as the fields say.
 * @param current when it expires so far
 * @returns a moment in ISO 8601; null for never
 * @throws {Problem} where there is no date, or one that has passed
 */
export function readExpiresAt(form: FormData, now: Date, current: string | null): string | null {
  const expiry = `${form.get('expiry')}`;
  if (expiry === 'stays') return current;
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now.getTime() + Number(expiry) * day).toISOString();
  const moment = new Date(`${form.get('expires-at')}`);
  // A browser gives nothing of a date that is not typed to its end.
  if (Number.isNaN(moment.getTime())) throw invalid('expiresAt', 'Choose a date and a time.');
  if (moment <= now) throw invalid('expiresAt', 'Choose a date and time in the future.');
  return moment.toISOString();
}

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
            onChange={({ target }) => setExpiry(target.value)}
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
