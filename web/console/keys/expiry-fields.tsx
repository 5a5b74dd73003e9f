import { useState } from 'react';
import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';

const day = 86_400_000;
const spans = [7, 30, 90, 365];

/**
 * When a key is to expire, as the fields say.
 * @returns a moment in ISO 8601; null for never
 * @throws {Problem} where there is no date, or one that has passed
 */
export function readExpiresAt(form: FormData, now: Date): string | null {
  const expiry = `${form.get('expiry')}`;
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now.getTime() + Number(expiry) * day).toISOString();
  const moment = new Date(`${form.get('expires-at')}`);
  // A browser gives nothing of a date that is not typed to its end.
  if (Number.isNaN(moment.getTime())) throw invalid('expiresAt', 'Choose a date and a time.');
  if (moment <= now) throw invalid('expiresAt', 'Choose a date and time in the future.');
  return moment.toISOString();
}

/** Asks when a key is to expire. */
export function ExpiryFields({ issue }: { readonly issue: string | undefined }) {
  const [expiry, setExpiry] = useState('90');
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
