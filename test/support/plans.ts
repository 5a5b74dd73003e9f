import type { Plans } from '../../src/operations/context.ts';
import { grantOf, type Overrides } from '../../src/plans/plan.ts';

/** Makes plans as a file would have them; the first is the default. */
export function plansOf(plans: Readonly<Record<string, Overrides>>): Plans {
  const grants = new Map(Object.entries(plans).map(([name, plan]) => [name, grantOf(plan)]));
  return { usual: Object.keys(plans)[0] ?? '', grants };
}

/** What somebody who sells documents might have. */
export const documentPlans = plansOf({
  free: {
    permissions: ['documents.read'],
    rate_limit: { limit: 10, window_seconds: 60 },
    quota: { limit: 1000, refill: 'monthly' },
    max_active_keys: 2,
    max_key_days: 90,
    metadata: { support: 'none' },
  },
  pro: {
    permissions: ['documents.*', 'billing.read'],
    quota: { limit: 100_000, refill: 'monthly' },
    metadata: { support: 'email' },
  },
  unlimited: {},
});

/** What the plan `free` of {@link documentPlans} grants, as GraphQL shows it. */
export const freeGrant = {
  permissions: ['documents.read'],
  rateLimit: { limit: 10, windowSeconds: 60 },
  quota: { limit: 1000, refill: 'MONTHLY' },
  maxActiveKeys: 2,
  maxKeyDays: 90,
  metadata: { support: 'none' },
};

/** A grant without limits, as GraphQL shows it. */
export const noLimits = {
  permissions: null,
  rateLimit: null,
  quota: null,
  maxActiveKeys: null,
  maxKeyDays: null,
  metadata: null,
};
