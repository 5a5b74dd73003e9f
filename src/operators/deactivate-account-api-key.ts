import { z } from 'zod';
import { ensureAccount } from '../accounts/own-account.ts';
import { type ApiKeyRecord, quotaColumns, returnedQuota } from '../api-keys/own-api-key.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { reason } from './reason.ts';

/** The input of {@link deactivateAccountApiKey}. */
export const DeactivateAccountApiKeyInput = z.object({ keyId: z.int32(), reason });

const updateActive = prepareQuery(ApiKey, (db, { id, now }: { readonly id: number; readonly now: Date }) =>
  db
    .updateTable('api_key')
    .set({ is_active: false, deactivated_at: now })
    .where('id', '=', id)
    .where('is_active', '=', true)
    .where('account_id', 'in', (accounts) =>
      accounts.selectFrom('account').select('account.id').where('erased_at', 'is', null),
    )
    .returningAll()
    .returning(returnedQuota),
);

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
    const { db, events } = inner;
    const operatorId = await ensureAccount(inner);
    const [changed] = await updateActive(db, { id, now: new Date() });
    if (changed) {
      events('api-key-deactivated', { accountId: changed.account, keyId: id, operatorId, reason });
      return changed;
    }
    const [found] = await selectApiKey(db, { id });
    if (found) return found;
    throw new GatewayError('NOT_FOUND', 'API key not found');
  });
}
