import { LRUCache } from 'lru-cache';
import type { Grant, Plans } from '../operations/context.ts';
import { Ceiling } from './ceiling.ts';
import { grantOf, type Overrides } from './plan.ts';

/** The columns of an account that say what the provider grants it. */
export interface GrantedColumns {
  readonly plan?: string | null | undefined;
  readonly overrides?: string | null | undefined;
}

/** What an account may have: its plan and its overrides put together. */
export interface Entitlement extends Grant {
  /** The name of the plan that holds; null: there are no plans. */
  readonly plan: string | null;
  /** The bound of the keys' permissions; null: there is none. */
  readonly ceiling: Ceiling | null;
}

/** What an account may have where the provider bounds nothing. */
export const noEntitlement: Entitlement = { plan: null, ceiling: null, ...grantOf({}) };

/** Entitlements by plan and overrides, for each set of plans: making one takes longer than a verification. */
const known = new WeakMap<object, LRUCache<string, Entitlement>>();

/** Stands for the plans of a service that has none. */
const noPlans = {};

/** The most characters of the plans and overrides that are remembered. */
const mostRemembered = 2_000_000;

/**
 * What an account may have. An account whose plan is not among the plans has the default plan.
 * @param plans the provider's plans; undefined if the provider has no plans
 */
export function entitlementOf(
  plans: Plans | undefined,
  { plan = null, overrides = null }: GrantedColumns,
): Entitlement {
  if (plans === undefined && overrides === null) return noEntitlement;
  const of = plans ?? noPlans;
  let entitlements = known.get(of);
  if (!entitlements) {
    entitlements = new LRUCache({
      maxSize: mostRemembered,
      sizeCalculation: (_, { length }) => length + 100,
    });
    known.set(of, entitlements);
  }
  const key = `${plan ?? ''}\n${overrides ?? ''}`;
  const found = entitlements.get(key);
  if (found) return found;
  const created = create(plans, { plan, overrides });
  entitlements.set(key, created);
  return created;
}

function create(plans: Plans | undefined, { plan = null, overrides = null }: GrantedColumns): Entitlement {
  const own = plans?.grants.has(plan ?? '') ? plan : null;
  const name = own ?? plans?.usual ?? null;
  const ofPlan = plans?.grants.get(name ?? '') ?? grantOf({});
  const grant = { ...ofPlan, ...replaced(overrides) };
  return { plan: name, ...grant, ceiling: grant.permissions && new Ceiling(grant.permissions) };
}

const spelled: Readonly<Record<keyof Overrides, keyof Grant>> = {
  permissions: 'permissions',
  rate_limit: 'rateLimit',
  quota: 'quota',
  max_active_keys: 'maxActiveKeys',
  max_key_days: 'maxKeyDays',
  metadata: 'metadata',
};

/** The members of the plan that the overrides replace. */
function replaced(overrides: string | null): Partial<Grant> {
  if (overrides === null) return {};
  const given = JSON.parse(overrides) as Overrides;
  const grant = grantOf(given);
  return Object.fromEntries(
    (Object.keys(given) as (keyof Overrides)[]).map((member) => [spelled[member], grant[spelled[member]]]),
  );
}
