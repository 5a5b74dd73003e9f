import { z } from 'zod';
import { ensureAccount } from '../accounts/own-account.ts';
import { reason } from '../accounts/reason.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { deactivate } from './deactivate-api-key.ts';
import { type ApiKeyRecord, quotaColumns } from './own-api-key.ts';

/** The input of {@link deactivateAccountApiKey}. */
export const DeactivateAccountApiKeyInput = z.object({ keyId: z.int32(), reason });

const selectApiKey = prepareQuery(ApiKey, (db, { id }: { readonly id: number }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
    .where('api_key.id', '=', id)
    .where('account.erased_at', 'is', null)
    .selectAll('api_key')
    .select(quotaColumns),
);

/**
 * Deactivates an API key of any account. An inactive key stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export async function deactivateAccountApiKey(
  context: OperationContext,
  input: z.input<typeof DeactivateAccountApiKeyInput>,
): Promise<ApiKeyRecord> {
  const { keyId: id, reason } = parseInput(DeactivateAccountApiKeyInput, input);
  return audited(context, async (inner) => {
    const operatorId = await ensureAccount(inner);
    const changed = await deactivate(inner, id, { operatorId, reason });
    if (changed) return changed;
    const [found] = await selectApiKey(inner.db, { id });
    if (found) return found;
    throw new GatewayError('NOT_FOUND', 'API key not found');
  });
}
