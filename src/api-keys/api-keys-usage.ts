import { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { AccountUse } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import {
  periodOf,
  readUsageRange,
  toCounts,
  type Usage,
  type UsagePeriod,
  type UsageRange,
  usageRangeMembers,
} from './usage-counts.ts';

/** The input of {@link apiKeysUsage}. */
export const ApiKeysUsageInput = z.object(usageRangeMembers);

const prepareSelect = (by: UsagePeriod) =>
  prepareQuery(AccountUse, (db, { issuer, subject, from, to }: Caller & Omit<UsageRange, 'by'>) =>
    db
      .selectFrom('account')
      .innerJoin('account_use', 'account_use.account_id', 'account.id')
      .where(ofCaller({ issuer, subject }))
      .where('account_use.hour', '>=', from)
      .where('account_use.hour', '<', to)
      .groupBy([periodOf(db, 'account_use', by), 'account_use.outcome'])
      .select([periodOf(db, 'account_use', by).as('hour'), 'account_use.outcome'])
      .select(({ fn }) => fn.sum('account_use.count').as('count'))
      .orderBy('hour')
      .orderBy('outcome'),
  );

const select = { HOUR: prepareSelect('HOUR'), DAY: prepareSelect('DAY') };

/**
 * Counts the verifications of all the caller's API keys together.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function apiKeysUsage(
  context: OperationContext,
  input: z.input<typeof ApiKeysUsageInput>,
): Promise<Usage> {
  const { by, ...range } = readUsageRange(parseInput(ApiKeysUsageInput, input));
  const rows = await select[by](context.db, { ...context.caller, ...range });
  if (rows.length === 0) await findAccount(context);
  return { ...range, counts: toCounts(rows) };
}
