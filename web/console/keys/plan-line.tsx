import { useEntitlement } from '../plan/use-entitlement.ts';
import { boundsInWords } from './limits-in-words.ts';
import { QuotaLeft, RateLeft } from './quota-left.tsx';

/**
 * The person's plan, and what is left of the limits that all their keys share. Without a plan and limits it shows
 * nothing. It also shows nothing if it cannot be fetched: the list below says why.
 */
export function PlanLine() {
  const { data } = useEntitlement();
  if (!data) return null;
  const { plan, effective, rateLimit, quota } = data.myEntitlement;
  const bounds = boundsInWords({ ...effective, rateLimit: null, quota: null });
  if (plan === null && bounds.length === 0 && rateLimit === null && quota === null) return null;
  return (
    <section className="plan" aria-label="Your plan">
      <p>
        {plan === null ? (
          'All keys together'
        ) : (
          <>
            Plan{' '}
            <strong>
              <bdi>{plan}</bdi>
            </strong>
          </>
        )}
        {bounds.length > 0 && `: at most ${bounds.join(', ')}`}
      </p>
      {rateLimit && effective.rateLimit && <RateLeft rate={effective.rateLimit} state={rateLimit} />}
      {quota && effective.quota && <QuotaLeft quota={{ ...quota, refill: effective.quota.refill }} />}
    </section>
  );
}
