import { AccountInput, readAccount } from '../../accounts/account.ts';
import { findAccount } from '../../accounts/own-account.ts';
import { type AccountId, AccountUse } from '../../database/tables.ts';
import { operation } from '../../operations/operation.ts';
import { selectAccountUses } from './api-keys-usage.ts';
import { prepareUsage, type Range, type Usage, usageRangeMembers } from './usage-counts.ts';

const usageOfAccount = prepareUsage(
  AccountUse,
  'account_use',
  (db, wanted: Range & { readonly account: AccountId }) =>
    selectAccountUses(db, wanted).where('account.id', '=', wanted.account),
);

/**
 * Counts the verifications of all API keys of an account together, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const accountUsage = operation(
  AccountInput.extend(usageRangeMembers),
  async (context, { id, ...range }): Promise<Usage> => {
    await findAccount(context);
    const usage = await usageOfAccount(context, range, { account: id as AccountId });
    if (!usage.isFound) await readAccount(context.db, id);
    return usage;
  },
);
