import { z } from 'zod';
import { accountNotFound, findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { withinDays } from './bounds.ts';
import { type Entitlement, entitlementOf, readOverrides } from './entitlement-of.ts';
import type { Overrides } from './plan.ts';

/** The input of {@link entitlement}. */
export const EntitlementInput = z.object({ userId: z.int32() });

/** What the provider grants an account, as it was set and as it holds. */
export interface EntitlementRecord {
  readonly account: AccountId;
  /** The account's own plan; null: the default plan. */
  readonly plan: string | null;
  readonly overrides: Overrides | null;
  readonly effective: Entitlement;
  /** The time of the last change; null: it was never set. */
  readonly updatedAt: Date | null;
}

/** Converts the row of an account. */
export const toEntitlementRecord = (
  {
    id,
    plan = null,
    overrides = null,
    entitledAt = null,
  }: Pick<Account, 'id' | 'plan' | 'overrides' | 'entitledAt'>,
  { services: { settings } }: OperationContext,
): EntitlementRecord => ({
  account: id,
  plan,
  overrides: overrides === null ? null : readOverrides(overrides),
  effective: withinDays(entitlementOf(settings.plans, { plan, overrides }), settings.apiKeyDays.most),
  updatedAt: entitledAt,
});

const selectEntitled = prepareQuery(Account, (db, { id }: Pick<Account, 'id'>) =>
  db.selectFrom('account').where('id', '=', id).select(['id', 'plan', 'overrides', 'entitled_at']),
);

/**
 * Reads what the provider grants an account, for the provider's servers and for operators.
 * @throws {GatewayError} `NOT_FOUND`
 */
export const entitlement = operation(
  EntitlementInput,
  async (context, { userId }): Promise<EntitlementRecord> => {
    await findAccount(context);
    const [found] = await selectEntitled(context.db, { id: userId as AccountId });
    if (!found) throw accountNotFound();
    return toEntitlementRecord(found, context);
  },
);
