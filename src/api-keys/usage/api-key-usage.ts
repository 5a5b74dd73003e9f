import { z } from 'zod';
import { ofCaller } from '../../accounts/own-account.ts';
import { prepareQuery } from '../../database/db.ts';
import { ApiKeyUse } from '../../database/tables.ts';
import type { Caller, OperationContext } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import { apiKeyNotFound } from '../own-api-key.ts';
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

/** The input of {@link apiKeyUsage}. */
export const ApiKeyUsageInput = z.object({ keyId: z.int32(), ...usageRangeMembers });

type Wanted<Asker> = Asker & Omit<UsageRange, 'by'> & { readonly keyId: number };

// The query returns one row of nulls for a key without use, and no row for an unknown key.
const prepareSelect = <Asker extends object>(by: UsagePeriod, isAsked: OfAccount<Asker>) =>
  prepareQuery(ApiKeyUse, (db, wanted: Wanted<Asker>) =>
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_use', (join) =>
        join
          .onRef('api_key_use.api_key_id', '=', 'api_key.id')
          .on('api_key_use.hour', '>=', wanted.from)
          .on('api_key_use.hour', '<', wanted.to),
      )
      .where('api_key.id', '=', wanted.keyId)
      .where(isAsked(wanted))
      .groupBy([periodOf(db, 'api_key_use', by), 'api_key_use.outcome'])
      .select([periodOf(db, 'api_key_use', by).as('hour'), 'api_key_use.outcome'])
      .select(({ fn }) => fn.sum('api_key_use.count').as('count'))
      .orderBy('hour')
      .orderBy('outcome'),
  );

/**
 * Prepares the counts of a key's verifications.
 * @param isAsked whose keys may be asked about
 */
export function prepareKeyUsage<Asker extends object>(isAsked: OfAccount<Asker>) {
  const select = { HOUR: prepareSelect('HOUR', isAsked), DAY: prepareSelect('DAY', isAsked) };
  /** Counts the verifications of a key; undefined if there is no such key. */
  return async (
    { db }: Pick<OperationContext, 'db'>,
    { keyId, ...wanted }: z.output<typeof ApiKeyUsageInput>,
    asker: Asker,
  ): Promise<Usage | undefined> => {
    const { by, ...range } = readUsageRange(wanted);
    const rows = await select[by](db, { ...asker, ...range, keyId });
    return rows.length === 0 ? undefined : { ...range, counts: toCounts(rows) };
  };
}

const usageOfCaller = prepareKeyUsage(({ issuer, subject }: Caller) => ofCaller({ issuer, subject }));

/**
 * Counts the verifications of one of the caller's API keys.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const apiKeyUsage = operation(ApiKeyUsageInput, async (context, given): Promise<Usage> => {
  const usage = await usageOfCaller(context, given, context.caller);
  if (!usage) throw await apiKeyNotFound(context);
  return usage;
});
