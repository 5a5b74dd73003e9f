import type { Kysely } from 'kysely';
import { z } from 'zod';
import { ofOwner } from '../../accounts/own-account.ts';
import { ApiKeyUse, type Tables } from '../../database/tables.ts';
import type { Owner } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import { apiKeyNotFound } from '../own-api-key.ts';
import { prepareUsage, type Range, type Usage, usageRangeMembers } from './usage-counts.ts';

/** The input of {@link apiKeyUsage}. */
export const ApiKeyUsageInput = z.object({ keyId: z.int32(), ...usageRangeMembers });

/** A key, and the range of its uses. */
export type KeyUses = Range & { readonly keyId: number };

/** Selects the uses of a key: a row of nulls for a key without use, and no row for an unknown key. */
export const selectKeyUses = (db: Kysely<Tables>, { keyId, from, to }: KeyUses) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_use', (join) =>
      join
        .onRef('api_key_use.api_key_id', '=', 'api_key.id')
        .on('api_key_use.hour', '>=', from)
        .on('api_key_use.hour', '<', to),
    )
    .where('api_key.id', '=', keyId);

const usageOfOwn = prepareUsage(ApiKeyUse, 'api_key_use', (db, wanted: KeyUses & Owner) =>
  selectKeyUses(db, wanted).where(ofOwner(wanted)),
);

/**
 * Counts the verifications of one of the caller's API keys.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const apiKeyUsage = operation(
  ApiKeyUsageInput,
  async (context, { keyId, ...range }): Promise<Usage> => {
    const usage = await usageOfOwn(context, range, { ...context.owner, keyId });
    if (!usage.isFound) throw await apiKeyNotFound(context);
    return usage;
  },
);
