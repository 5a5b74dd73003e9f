import { useEntitlement } from '../plan/use-entitlement.ts';
import { useLanguage } from '../ui/host.ts';
import { boundsInWords } from './limits-in-words.ts';
import { QuotaLeft, RateLeft } from './quota-left.tsx';

/**
 * The person's plan, and what is left of the limits that all their keys share. Without a plan and limits it shows
 * nothing. It also shows nothing if it cannot be fetched: the list below says why.
 */
export function PlanLine() {
  const { data } = useEntitlement();
  const language = useLanguage();
  if (!data) return null;
  const { plan, effective, rateLimit, quota } = data.myEntitlement;
  const bounds = boundsInWords(language, { ...effective, rateLimit: null, quota: null });
  if (plan === null && bounds.length === 0 && rateLimit === null && quota === null) return null;
  return (
    <section className="plan" aria-label={language.text('keys.your-plan')}>
      <p>
        <PlanAndBounds plan={plan} bounds={bounds.join(', ')} />
      </p>
      {rateLimit && effective.rateLimit && <RateLeft rate={effective.rateLimit} state={rateLimit} />}
      {quota && effective.quota && <QuotaLeft quota={{ ...quota, refill: effective.quota.refill }} />}
    </section>
  );
}

interface PlanAndBoundsProps {
  readonly plan: string | null;
  /** The limits that are not shown as bars, in words; can be empty. */
  readonly bounds: string;
}

function PlanAndBounds({ plan, bounds }: PlanAndBoundsProps) {
  const { text, rich } = useLanguage();
  if (plan === null) return bounds ? text('keys.no-plan-bounds', { bounds }) : text('keys.no-plan');
  const name = (
    <strong>
      <bdi>{plan}</bdi>
    </strong>
  );
  return bounds ? rich('keys.plan-bounds', { plan: name, bounds }) : rich('keys.plan', { plan: name });
}
