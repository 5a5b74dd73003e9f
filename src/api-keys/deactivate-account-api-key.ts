import { z } from 'zod';
import { reason } from '../accounts/arguments.ts';
import { ensureOperator } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { change } from '../operations/operation.ts';
import { deactivate } from './deactivate-api-key.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

const selectApiKey = prepareQuery(ApiKey, (db, { id }: { readonly id: number }) =>
  selectRecords(db).where('api_key.id', '=', id).where('account.erased_at', 'is', null),
);

/**
 * Deactivates an API key of any account. An inactive key stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const deactivateAccountApiKey = change(
  z.object({ keyId: z.int32(), reason }),
  async (context, { keyId: id, reason }): Promise<ApiKeyRecord> => {
    const operatorId = await ensureOperator(context);
    const changed = await deactivate(context, id, { operatorId, reason });
    if (changed) return changed;
    const [found] = await selectApiKey(context.db, { id });
    if (found) return found;
    throw new GatewayError('NOT_FOUND', 'API key not found');
  },
);
