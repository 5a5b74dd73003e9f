import { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { operation } from '../operations/operation.ts';
import { selectOfAccount } from './account-api-keys.ts';
import type { ApiKeyRecord } from './own-api-key.ts';

/** The input of {@link accountApiKey}. */
const AccountApiKeyInput = z.object({ id: z.int32(), keyId: z.int32() });

const selectKey = prepareQuery(ApiKey, (db, { id, keyId }: z.output<typeof AccountApiKeyInput>) =>
  selectOfAccount(db, { id }).where('api_key.id', '=', keyId),
);

/**
 * Reads an API key of any account, for an operator.
 * @throws {GatewayError} `NOT_FOUND` for an unknown account, and for a key that is not the account's
 */
export const accountApiKey = operation(AccountApiKeyInput, async (context, wanted): Promise<ApiKeyRecord> => {
  await findAccount(context);
  const [found] = await selectKey(context.db, wanted);
  if (!found) throw new GatewayError('NOT_FOUND', 'API key not found');
  return found;
});
