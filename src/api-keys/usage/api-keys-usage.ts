import { z } from 'zod';
import { findAccount, ofCaller } from '../../accounts/own-account.ts';
import { prepareQuery } from '../../database/db.ts';
import { AccountUse } from '../../database/tables.ts';
import type { Caller, OperationContext } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import {
  type OfAccount,
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

const prepareSelect = <Asker extends object>(by: UsagePeriod, isAsked: OfAccount<Asker>) =>
  prepareQuery(AccountUse, (db, wanted: Asker & Omit<UsageRange, 'by'>) =>
    db
      .selectFrom('account')
      .innerJoin('account_use', 'account_use.account_id', 'account.id')
      .where(isAsked(wanted))
      .where('account_use.hour', '>=', wanted.from)
      .where('account_use.hour', '<', wanted.to)
      .groupBy([periodOf(db, 'account_use', by), 'account_use.outcome'])
      .select([periodOf(db, 'account_use', by).as('hour'), 'account_use.outcome'])
      .select(({ fn }) => fn.sum('account_use.count').as('count'))
      .orderBy('hour')
      .orderBy('outcome'),
  );

/**
 * Prepares the counts of the verifications of all keys of an account.
 * @param isAsked which account may be asked about
 */
export function prepareAccountUsage<Asker extends object>(isAsked: OfAccount<Asker>) {
  const select = { HOUR: prepareSelect('HOUR', isAsked), DAY: prepareSelect('DAY', isAsked) };
  return async (
    { db }: Pick<OperationContext, 'db'>,
    wanted: z.output<typeof ApiKeysUsageInput>,
    asker: Asker,
  ): Promise<Usage> => {
    const { by, ...range } = readUsageRange(wanted);
    return { ...range, counts: toCounts(await select[by](db, { ...asker, ...range })) };
  };
}

const usageOfCaller = prepareAccountUsage(({ issuer, subject }: Caller) => ofCaller({ issuer, subject }));

/**
 * Counts the verifications of all the caller's API keys together.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const apiKeysUsage = operation(ApiKeysUsageInput, async (context, given): Promise<Usage> => {
  const usage = await usageOfCaller(context, given, context.caller);
  if (usage.counts.length === 0) await findAccount(context);
  return usage;
});
