import { AccountInput, readAccount } from '../../accounts/account.ts';
import { findAccount } from '../../accounts/own-account.ts';
import type { AccountId } from '../../database/tables.ts';
import { operation } from '../../operations/operation.ts';
import { ApiKeysUsageInput, prepareAccountUsage } from './api-keys-usage.ts';
import type { Usage } from './usage-counts.ts';

const usageOfAccount = prepareAccountUsage(
  ({ account: id }: { readonly account: AccountId }) =>
    (account) =>
      account('account.id', '=', id),
);

/**
 * Counts the verifications of all API keys of an account together, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const accountUsage = operation(
  AccountInput.extend(ApiKeysUsageInput.shape),
  async (context, { id, ...wanted }): Promise<Usage> => {
    await findAccount(context);
    const usage = await usageOfAccount(context, wanted, { account: id as AccountId });
    if (usage.counts.length === 0) await readAccount(context.db, id);
    return usage;
  },
);
