import type { z } from 'zod';
import { AccountInput, readAccount } from '../../accounts/account.ts';
import { findAccount } from '../../accounts/own-account.ts';
import type { AccountId } from '../../database/tables.ts';
import type { OperationContext } from '../../operations/context.ts';
import { parseInput } from '../../operations/input.ts';
import { ApiKeysUsageInput, prepareAccountUsage } from './api-keys-usage.ts';
import type { Usage } from './usage-counts.ts';

/** The input of {@link accountUsage}. */
export const AccountUsageInput = AccountInput.extend(ApiKeysUsageInput.shape);

const usageOfAccount = prepareAccountUsage(
  ({ account: id }: { readonly account: AccountId }) =>
    (account) =>
      account('account.id', '=', id),
);

/**
 * Counts the verifications of all API keys of an account together, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export async function accountUsage(
  context: OperationContext,
  input: z.input<typeof AccountUsageInput>,
): Promise<Usage> {
  const { id, ...wanted } = parseInput(AccountUsageInput, input);
  await findAccount(context);
  const usage = await usageOfAccount(context, wanted, { account: id as AccountId });
  if (usage.counts.length === 0) await readAccount(context.db, id);
  return usage;
}
