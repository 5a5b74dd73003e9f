import { z } from 'zod';
import { ofCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKeyUse } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { apiKeyNotFound } from './own-api-key.ts';
import {
  periodOf,
  readUsageRange,
  toCounts,
  type Usage,
  type UsagePeriod,
  type UsageRange,
  usageRangeMembers,
} from './usage-counts.ts';

/** The input of {@link apiKeyUsage}. */
export const ApiKeyUsageInput = z.object({ keyId: z.int32(), ...usageRangeMembers });

type Wanted = Caller & Omit<UsageRange, 'by'> & { readonly keyId: number };

// The query returns one row of nulls for a key without use, and no row for an unknown key.
const prepareSelect = (by: UsagePeriod) =>
  prepareQuery(ApiKeyUse, (db, { issuer, subject, keyId, from, to }: Wanted) =>
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_use', (join) =>
        join
          .onRef('api_key_use.api_key_id', '=', 'api_key.id')
          .on('api_key_use.hour', '>=', from)
          .on('api_key_use.hour', '<', to),
      )
      .where('api_key.id', '=', keyId)
      .where(ofCaller({ issuer, subject }))
      .groupBy([periodOf(db, 'api_key_use', by), 'api_key_use.outcome'])
      .select([periodOf(db, 'api_key_use', by).as('hour'), 'api_key_use.outcome'])
      .select(({ fn }) => fn.sum('api_key_use.count').as('count'))
      .orderBy('hour')
      .orderBy('outcome'),
  );

const select = { HOUR: prepareSelect('HOUR'), DAY: prepareSelect('DAY') };

/**
 * Counts the verifications of one of the caller's API keys.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, the same for an unknown key and another person's key
 */
export async function apiKeyUsage(
  context: OperationContext,
  input: z.input<typeof ApiKeyUsageInput>,
): Promise<Usage> {
  const { keyId, ...wanted } = parseInput(ApiKeyUsageInput, input);
  const { by, ...range } = readUsageRange(wanted);
  const rows = await select[by](context.db, { ...context.caller, ...range, keyId });
  if (rows.length === 0) throw await apiKeyNotFound(context);
  return { ...range, counts: toCounts(rows) };
}
