import { LRUCache } from 'lru-cache';
import { parseStored } from '../database/stored-values.ts';
import type { Account } from '../database/tables.ts';
import { once } from '../once.ts';
import type { Grant, Plans } from '../operations/context.ts';
import { Ceiling } from './ceiling.ts';
import { grantOf, type Overrides, overridesSchema } from './plan.ts';

/** The columns of an account that say what the provider grants it. */
type GrantedColumns = Partial<Pick<Account, 'plan' | 'overrides'>>;

/** What an account may have: its plan and its overrides put together. */
export interface Entitlement extends Grant {
  /** The name of the plan that holds; null: there are no plans. */
  readonly plan: string | null;
  /** The bound of the keys' permissions; null: there is none. */
  readonly ceiling: Ceiling | null;
}

/** What an account may have where the provider bounds nothing. */
export const noEntitlement: Entitlement = { plan: null, ceiling: null, ...grantOf({}) };

/** Stands for the plans of a service that has none. */
const noPlans = {};

/** The most characters of the plans and overrides that are remembered. */
const mostRemembered = 2_000_000;

/** Entitlements by plan and overrides, for each set of plans: making one takes longer than a verification. */
const rememberedFor = once(
  (_plans: object) =>
    new LRUCache<string, Entitlement>({
      maxSize: mostRemembered,
      sizeCalculation: (_, { length }) => length + 100,
    }),
);

/**
 * What an account may have. An account whose plan is not among the plans has the default plan.
 * @param plans the provider's plans; undefined if the provider has no plans
 */
export function entitlementOf(
  plans: Plans | undefined,
  { plan = null, overrides = null }: GrantedColumns,
): Entitlement {
  if (plans === undefined && overrides === null) return noEntitlement;
  const remembered = rememberedFor(plans ?? noPlans);
  const key = `${plan ?? ''}\n${overrides ?? ''}`;
  const found = remembered.get(key);
  if (found) return found;
  const created = create(plans, plan, overrides);
  remembered.set(key, created);
  return created;
}

const isOverrides = (value: unknown): value is Overrides => overridesSchema.safeParse(value).success;

/**
 * Parses the stored overrides of an account. Null if it has none.
 * @throws {UnexpectedValueError} if they are not what an operator can set: then nobody knows what the account may have
 */
export const readOverrides = (overrides: string | null): Overrides =>
  overrides === null ? {} : parseStored('account, overrides', overrides, isOverrides);

function create(plans: Plans | undefined, own: string | null, overrides: string | null): Entitlement {
  const plan = plans?.grants.has(own ?? '') ? own : (plans?.usual ?? null);
  const grant = grantOf(readOverrides(overrides), plans?.grants.get(plan ?? ''));
  return { plan, ...grant, ceiling: grant.permissions && new Ceiling(grant.permissions) };
}
