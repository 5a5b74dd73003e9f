import { sql } from 'kysely';
import { accountBlocked, assertNeverWrote, isOwner } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import type { LimitsLeft, OperationContext, Owner } from '../operations/context.ts';
import { isPeriodOverIn } from '../quotas/quota-periods.ts';
import { withinDays } from './bounds.ts';
import { type Entitlement, entitlementOf } from './entitlement-of.ts';
import { seeLimits, sharedLimitsOf } from './shared-limits.ts';

/** What the provider grants the caller, and what is left of it. */
export interface OwnEntitlement extends LimitsLeft {
  /** The name of the plan that holds; null: there are no plans. */
  readonly plan: string | null;
  readonly effective: Entitlement;
}

const selectOwn = prepareQuery(Account, (db, asked: Owner & { readonly now: Date }) =>
  db
    .selectFrom('account')
    .leftJoin('account_quota', 'account_quota.account_id', 'account.id')
    .where(isOwner(asked))
    .select(['account.id', 'account.plan', 'account.overrides'])
    .select(sql<boolean>`account.blocked_at is not null`.as('blocked'))
    .select(sql<boolean | null>`${isPeriodOverIn(db, asked.now, 'account_quota')}`.as('sharedOver'))
    .select([
      'account_quota.refill as sharedRefill',
      'account_quota.taken as sharedTaken',
      'account_quota.generation as sharedGeneration',
      // Checked alone: a value that is no time must not begin a period.
      'account_quota.refills_at as sharedRefillsAt',
    ]),
);

type Own = Awaited<ReturnType<typeof selectOwn>>[number];

/** Stands for somebody who has no account yet: no account has this id, and nothing was used. */
const noAccount: Pick<Own, 'id'> & Partial<Own> = { id: 0 as AccountId };

/**
 * Reads what the provider grants the caller, and what is left of the limits that all their API keys share. Writes and
 * uses nothing.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked
 */
export async function myEntitlement(context: OperationContext): Promise<OwnEntitlement> {
  const now = new Date();
  const [found] = await selectOwn(context.db, { ...context.owner, now });
  if (!found) assertNeverWrote(context);
  const own = found ?? noAccount;
  if (own.blocked) throw accountBlocked(own.id);
  const { plans, apiKeyDays } = context.services.settings;
  const effective = withinDays(entitlementOf(plans, own), apiKeyDays.most);
  const left = seeLimits(sharedLimitsOf(context.services, own.id, effective, own), now);
  return { plan: effective.plan, effective, ...left };
}
