import type { Kysely } from 'kysely';
import { z } from 'zod';
import { findAccount, ofOwner } from '../../accounts/own-account.ts';
import { AccountUse, type Tables } from '../../database/tables.ts';
import type { Owner } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import { prepareUsage, type Range, type Usage, usageRangeMembers } from './usage-counts.ts';

/** Selects the uses of all keys of each account. */
export const selectAccountUses = (db: Kysely<Tables>, { from, to }: Range) =>
  db
    .selectFrom('account')
    .innerJoin('account_use', 'account_use.account_id', 'account.id')
    .where('account_use.hour', '>=', from)
    .where('account_use.hour', '<', to);

const usageOfOwner = prepareUsage(AccountUse, 'account_use', (db, wanted: Range & Owner) =>
  selectAccountUses(db, wanted).where(ofOwner(wanted)),
);

/**
 * Counts the verifications of all the owner's API keys together.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const apiKeysUsage = operation(z.object(usageRangeMembers), async (context, range): Promise<Usage> => {
  const usage = await usageOfOwner(context, range, context.owner);
  if (!usage.isFound) await findAccount(context);
  return usage;
});
