import { z } from 'zod';
import { assertNotErased } from '../accounts/account-record.ts';
import { lockAccount } from '../accounts/locks.ts';
import { accountNotFound, ensureAccount, findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationContext } from '../operations/context.ts';
import { trimmed } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import { EntitlementInput, type EntitlementRecord, toEntitlementRecord } from './entitlement.ts';
import { overridesSchema, planNamePattern } from './plan.ts';

/** What the provider may say of an account. A missing member stays as it is, and null clears it. */
export const granted = {
  plan: z.string().meta({ pattern: planNamePattern }).nullish(),
  overrides: overridesSchema.nullish(),
  reason: trimmed(z.string(), 500).nullish(),
};

/** The members of an input that say what an account may have. */
export type Granted = z.output<z.ZodObject<typeof granted>>;

type Entitled = Pick<Account, 'id' | 'plan' | 'overrides' | 'entitledAt'>;

const updateEntitled = prepareQuery(Account, (db, { id, plan, overrides, entitledAt }: Entitled) =>
  db.updateTable('account').set({ plan, overrides, entitled_at: entitledAt }).where('id', '=', id),
);

/**
 * Sets the plan and the overrides of an account: what the provider grants it, whatever its owner wants. An equal value
 * is no change. It holds from the next question about a key on, on every node.
 * @throws {GatewayError} `BAD_USER_INPUT`, also for a plan that does not exist and for an operator without a reason;
 *   `NOT_FOUND`; `CONFLICT` for an erased account
 */
export const setEntitlement = change(EntitlementInput.extend(granted), (context, { userId, ...given }) =>
  changeEntitlement(context, async () => userId as AccountId, given),
);

/**
 * Finds out who grants it, and checks what no schema can.
 * @returns the operator's account; undefined for a server, which needs none
 * @throws {GatewayError} `BAD_USER_INPUT`; `FORBIDDEN` for somebody who is blocked
 */
async function whoGrants(
  context: OperationContext,
  { plan, reason }: Granted,
): Promise<AccountId | undefined> {
  const { services, server } = context;
  // A server grants in its own name, also with the scope of operators.
  const isOperator = context.isOperator === true && server === undefined;
  const own = await findAccount(context);
  if (isOperator && reason == null)
    throw badUserInput([{ path: ['reason'], message: 'Required.', type: 'missing' }]);
  if (plan != null && !services.settings.plans?.grants.has(plan))
    throw badUserInput([{ path: ['plan'], message: 'Must be a plan in PLANS_FILE.', type: 'enum' }]);
  return isOperator ? (own ?? (await ensureAccount(context))) : undefined;
}

/**
 * Changes what an account may have, in the name of an operator or of a server of the provider.
 * @param context the context of a transaction
 * @param find finds the account, or creates it
 */
export async function changeEntitlement(
  context: OperationContext,
  find: () => Promise<AccountId>,
  given: Granted,
): Promise<EntitlementRecord> {
  const { db, events } = context;
  const operatorId = await whoGrants(context, given);
  const id = await find();
  const stored = await lockAccount(db, id);
  if (!stored) throw accountNotFound();
  assertNotErased(stored);
  const before = toEntitlementRecord(stored, context);
  const after = {
    plan: given.plan === undefined ? before.plan : given.plan,
    overrides: given.overrides === undefined ? before.overrides : given.overrides,
  };
  const changes = changesOf({ plan: before.plan, overrides: before.overrides }, after);
  if (changes.length === 0) return before;
  const overrides = after.overrides && JSON.stringify(after.overrides);
  const row = { id, plan: after.plan, overrides, entitledAt: new Date() };
  await updateEntitled(db, row);
  const reason = given.reason ?? undefined;
  const by = operatorId === undefined ? { isProvider: true } : { operatorId };
  events('account-entitlement-changed', { accountId: id, ...by, reason }, changes);
  return toEntitlementRecord(row, context);
}
