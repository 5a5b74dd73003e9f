import { useId } from 'preact/compat';
import { useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';
import type { ApiKey } from './api-key.ts';
import { leftInWords, quotaNow, type RateLimit, rateLeftInWords } from './limits-in-words.ts';

interface LeftProps {
  readonly limit: number;
  readonly remaining: number;
  readonly words: string;
  /** When it refills; null if it never does, or if nobody needs to know. */
  readonly fullAt: string | null;
}

/** What is left of a limit: in words, as a bar, and when it refills. */
function Left({ limit, remaining, words, fullAt }: LeftProps) {
  const id = useId();
  const { rich } = useLanguage();
  return (
    <div className={remaining === 0 ? 'quota used' : 'quota'}>
      <p id={id}>{words}</p>
      <meter aria-labelledby={id} min={0} max={limit} low={limit / 10} optimum={limit} value={remaining} />
      {fullAt !== null && <p className="hint">{rich('keys.refills', { moment: <Moment at={fullAt} /> })}</p>}
    </div>
  );
}

/** What is left of a quota. */
export function QuotaLeft({ quota }: { readonly quota: NonNullable<ApiKey['quota']> }) {
  const now = useNow();
  const language = useLanguage();
  const { limit, refill } = quota;
  // A bar would be empty whatever happens.
  if (limit === 0) return <p>{language.text('keys.quota-zero')}</p>;
  const { remaining, refillsAt } = quotaNow(quota, now);
  return (
    <Left
      limit={limit}
      remaining={remaining}
      words={leftInWords(language, { limit, refill }, remaining)}
      fullAt={refillsAt}
    />
  );
}

interface RateLeftProps {
  readonly rate: RateLimit;
  /** The state when the page fetched it; `resetsAt` is a time in ISO 8601. */
  readonly state: { readonly remaining: number; readonly resetsAt: string };
}

/** What is left of a rate limit. It does not say when the limit resets: that is too soon to matter. */
export function RateLeft({ rate, state: { remaining, resetsAt } }: RateLeftProps) {
  const now = useNow();
  const language = useLanguage();
  const { limit } = rate;
  const left = quotaNow({ limit, remaining, refillsAt: resetsAt }, now).remaining;
  return <Left limit={limit} remaining={left} words={rateLeftInWords(language, rate, left)} fullAt={null} />;
}
