import { useEntitlement } from '../plan/use-entitlement.ts';
import { boundsInWords } from './limits-in-words.ts';
import { QuotaLeft, RateLeft } from './quota-left.tsx';

/**
 * The person's plan, and what is left of what all their keys share. Who has no plan sees nothing, and neither does
 * who cannot be told: the list below says why.
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
