import type { Problem } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { useLanguage } from '../ui/host.ts';
import { periodInWords, refills, windowInWords, windowLengths } from './limits-in-words.ts';
import { ListField } from './list-field.tsx';
import type { KeyParts } from './read-key-form.ts';

/** Asks for the addresses and limits of a new key. They are folded into one line until needed. */
export function LimitFields({ problem }: { readonly problem: Problem | undefined }) {
  const { rich } = useLanguage();
  return (
    <details className="fold">
      <summary>{rich('keys.limits', { hint: (content) => <span className="hint">{content}</span> })}</summary>
      <div className="fields">
        <AddressesField list={[]} issue={problem?.issueOf('allowedAddresses')} />
        <RateLimitField rateLimit={null} issue={problem?.issueOf('rateLimit')} />
        <QuotaField quota={null} issue={problem?.issueOf('quota')} />
      </div>
    </details>
  );
}

interface AddressesFieldProps {
  readonly list: readonly string[];
  readonly issue: string | undefined;
}

/** Asks for the addresses from which a key works. */
export function AddressesField(props: AddressesFieldProps) {
  const { text, rich } = useLanguage();
  return (
    <ListField
      {...props}
      label={text('keys.addresses')}
      name="allowed-addresses"
      hint={rich('keys.addresses-hint', { example: <code>192.0.2.0/24</code> })}
    />
  );
}

const number = { inputMode: 'numeric', autoComplete: 'off', className: 'number' } as const;

interface RateLimitFieldProps {
  readonly rateLimit: KeyParts['rateLimit'];
  readonly issue: string | undefined;
}

/** Asks for the rate limit of a key. */
export function RateLimitField({ rateLimit, issue }: RateLimitFieldProps) {
  const seconds = rateLimit?.windowSeconds ?? 60;
  const lengths = windowLengths.includes(seconds) ? windowLengths : [seconds, ...windowLengths];
  const language = useLanguage();
  const { text } = language;
  return (
    <Field label={text('keys.rate-limit')} hint={text('keys.rate-limit-hint')} issue={issue}>
      {(control) => (
        <div className="with-unit">
          <input {...control} {...number} name="rate-limit" defaultValue={rateLimit?.limit} />
          <span>{text('keys.rate-limit-unit')}</span>
          <select name="rate-window" aria-label={text('keys.rate-limit-window')} defaultValue={seconds}>
            {lengths.map((length) => (
              <option key={length} value={length}>
                {windowInWords(language, length)}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}

interface QuotaFieldProps {
  readonly quota: KeyParts['quota'];
  readonly issue: string | undefined;
}

/** Asks for the quota of a key. */
export function QuotaField({ quota, issue }: QuotaFieldProps) {
  const language = useLanguage();
  const { text } = language;
  const hint = text(quota === null ? 'keys.quota-hint-new' : 'keys.quota-hint');
  return (
    <Field label={text('keys.quota-field')} hint={hint} issue={issue}>
      {(control) => (
        <div className="with-unit">
          <input {...control} {...number} name="quota" defaultValue={quota?.limit} />
          <span>{text('keys.quota-unit')}</span>
          <select
            name="quota-refill"
            aria-label={text('keys.quota-period')}
            defaultValue={quota?.refill ?? 'MONTHLY'}
          >
            {refills.map((refill) => (
              <option key={refill} value={refill}>
                {periodInWords(language, refill)}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
