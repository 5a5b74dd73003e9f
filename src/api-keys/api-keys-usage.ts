import { z } from 'zod';
import { findAccount } from '../accounts/find-account.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKeyUse } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { periodOf, toCounts, type Usage } from './usage-counts.ts';
import {
  partsOf,
  readUsageRange,
  type UsagePeriod,
  type UsageRange,
  usageRangeMembers,
} from './usage-range.ts';

/** The input of {@link apiKeysUsage}. */
export const ApiKeysUsageInput = z.object(usageRangeMembers);

/** How many days are added up in one statement: of a thousand keys that takes some 50 ms, and on SQLite others wait. */
const daysAtOnce = 3;

const prepareSelect = (by: UsagePeriod) =>
  prepareQuery(ApiKeyUse, (db, { issuer, subject, from, to }: Caller & Omit<UsageRange, 'by'>) =>
    db
      .selectFrom('account')
      .innerJoin('api_key', 'api_key.account_id', 'account.id')
      .innerJoin('api_key_use', 'api_key_use.api_key_id', 'api_key.id')
      .where('account.issuer', '=', issuer)
      .where('account.subject', '=', subject)
      .where('account.blocked_at', 'is', null)
      .where('api_key_use.hour', '>=', from)
      .where('api_key_use.hour', '<', to)
      .groupBy([periodOf(db, by), 'api_key_use.outcome'])
      .select([periodOf(db, by).as('hour'), 'api_key_use.outcome'])
      .select(({ fn }) => fn.sum('api_key_use.count').as('count'))
      .orderBy('hour')
      .orderBy('outcome'),
  );

const select = { HOUR: prepareSelect('HOUR'), DAY: prepareSelect('DAY') };

/**
 * How often the caller's API keys were verified, all together.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function apiKeysUsage(
  context: OperationContext,
  input: z.input<typeof ApiKeysUsageInput>,
): Promise<Usage> {
  const { caller, db } = context;
  const { by, ...range } = readUsageRange(parseInput(ApiKeysUsageInput, input));
  const rows: Awaited<ReturnType<(typeof select)[UsagePeriod]>> = [];
  for (const part of partsOf({ ...range, by }, daysAtOnce)) {
    rows.push(...(await select[by](db, { ...caller, ...part })));
    // Requests go between.
    await new Promise(setImmediate);
  }
  if (rows.length === 0) await findAccount(context);
  return { ...range, counts: toCounts(rows) };
}
