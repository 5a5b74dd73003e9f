import { duration } from '../../shared/times.ts';
import type { Problem } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { periods, windows } from './limits-in-words.ts';
import { ListField } from './list-field.tsx';
import type { KeyParts } from './read-key-form.ts';

/** Asks for the addresses and limits of a new key. They are folded into one line until needed. */
export const LimitFields = ({ problem }: { readonly problem: Problem | undefined }) => (
  <details className="fold">
    <summary>
      Limits<span className="hint"> any address, no rate limit, no quota</span>
    </summary>
    <div className="fields">
      <AddressesField list={[]} issue={problem?.issueOf('allowedAddresses')} />
      <RateLimitField rateLimit={null} issue={problem?.issueOf('rateLimit')} />
      <QuotaField quota={null} issue={problem?.issueOf('quota')} />
    </div>
  </details>
);

interface AddressesFieldProps {
  readonly list: readonly string[];
  readonly issue: string | undefined;
}

/** Asks for the addresses from which a key works. */
export const AddressesField = (props: AddressesFieldProps) => (
  <ListField
    {...props}
    label="Allowed IP addresses"
    name="allowed-addresses"
    hint={
      <>
        One address or range per line, such as <code>192.0.2.0/24</code>. Leave empty to allow any address.
      </>
    }
  />
);

const number = { inputMode: 'numeric', autoComplete: 'off', className: 'number' } as const;

interface RateLimitFieldProps {
  readonly rateLimit: KeyParts['rateLimit'];
  readonly issue: string | undefined;
}

/** Asks for the rate limit of a key. */
export function RateLimitField({ rateLimit, issue }: RateLimitFieldProps) {
  const seconds = rateLimit?.windowSeconds ?? 60;
  const all = windows.has(seconds) ? windows : new Map([[seconds, duration(seconds)], ...windows]);
  return (
    <Field label="Rate limit" hint="Leave empty for no rate limit." issue={issue}>
      {(control) => (
        <div className="with-unit">
          <input {...control} {...number} name="rate-limit" defaultValue={rateLimit?.limit} />
          <span>requests per</span>
          <select name="rate-window" aria-label="Rate limit window" defaultValue={seconds}>
            {[...all].map(([length, name]) => (
              <option key={length} value={length}>
                {name}
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
export const QuotaField = ({ quota, issue }: QuotaFieldProps) => (
  <Field
    label="Quota"
    hint={
      quota === null
        ? 'Leave empty for no quota. Days and months begin at 00:00 UTC.'
        : 'A change does not give back used requests. Days and months begin at 00:00 UTC.'
    }
    issue={issue}
  >
    {(control) => (
      <div className="with-unit">
        <input {...control} {...number} name="quota" defaultValue={quota?.limit} />
        <span>requests</span>
        <select name="quota-refill" aria-label="Quota period" defaultValue={quota?.refill ?? 'MONTHLY'}>
          {Object.entries(periods).map(([refill, name]) => (
            <option key={refill} value={refill}>
              {name}
            </option>
          ))}
        </select>
      </div>
    )}
  </Field>
);
