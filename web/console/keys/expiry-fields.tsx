import { useState } from 'preact/compat';
import { useLongestLife } from '../plan/use-entitlement.ts';
import { Field } from '../ui/field.tsx';
import { useLanguage } from '../ui/host.ts';

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

interface ExpiryOptionsProps {
  readonly current: string | null | undefined;
  /** The most days that the plan allows. */
  readonly most: number;
}

function ExpiryOptions({ current, most }: ExpiryOptionsProps) {
  const { text, absolute } = useLanguage();
  return (
    <>
      {current && (
        <option value="stays">{text('keys.expires-keep', { at: absolute(new Date(current)) })}</option>
      )}
      {spans
        .filter((days) => days < most)
        .map((days) => (
          <option key={days} value={days}>
            {days === 365 ? text('keys.expires-in-year') : text('keys.expires-in-days', { count: days })}
          </option>
        ))}
      <option value="date">{text('keys.expires-on-date')}</option>
      {most === Number.POSITIVE_INFINITY && <option value="never">{text('keys.expires-never')}</option>}
      {most < Number.POSITIVE_INFINITY && !current && (
        <option value="never">
          {current === null ? text('keys.expires-keep-never') : text('keys.expires-in-most', { count: most })}
        </option>
      )}
    </>
  );
}

/** Asks when a key expires. */
export function ExpiryFields({ issue, current }: ExpiryFieldsProps) {
  const most = useLongestLife();
  const { text } = useLanguage();
  const [expiry, setExpiry] = useState(firstChoice(current, most));
  const ownDate = expiry === 'date';
  return (
    <>
      <Field label={text('keys.expires')} issue={ownDate ? undefined : issue}>
        {(control) => (
          <select
            {...control}
            name="expiry"
            value={expiry}
            onInput={({ currentTarget }) => setExpiry(currentTarget.value)}
          >
            <ExpiryOptions current={current} most={most} />
          </select>
        )}
      </Field>
      {ownDate && (
        <Field label={text('keys.expires-at')} hint={text('keys.expires-at-hint')} issue={issue}>
          {(control) => <input {...control} name="expires-at" type="datetime-local" />}
        </Field>
      )}
    </>
  );
}
