import { useId } from 'preact/compat';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';
import type { ApiKey } from './api-key.ts';
import { leftInWords, quotaNow } from './limits-in-words.ts';

/** What is left of a quota: in numbers, as a bar, and when it is full again. */
export function QuotaLeft({ quota }: { readonly quota: NonNullable<ApiKey['quota']> }) {
  const id = useId();
  const now = useNow();
  const { limit, refill } = quota;
  // A bar of nothing says nothing.
  if (limit === 0) return <p>No requests: its quota is 0.</p>;
  const { remaining, refillsAt } = quotaNow(quota, now);
  return (
    <div className={remaining === 0 ? 'quota used' : 'quota'}>
      <p id={id}>{leftInWords({ limit, refill }, remaining)}</p>
      <meter aria-labelledby={id} min={0} max={limit} low={limit / 10} optimum={limit} value={remaining} />
      {refillsAt !== null && (
        <p className="hint">
          Full again <Moment at={refillsAt} />
        </p>
      )}
    </div>
  );
}
