import { z } from 'zod';
import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKey } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { apiKeyName } from './api-key-name.ts';
import { ownApiKey } from './own-api-key.ts';

/** A name of null removes the name. A name that is left out is refused, so that nobody removes one by mistake. */
export const RenameApiKeyInput = z.object({ keyId: z.int32(), name: apiKeyName });

const updateName = prepareQuery(
  ApiKey,
  (db, { id, account, name }: Pick<ApiKey, 'id' | 'account' | 'name'>) =>
    db
      .updateTable('api_key')
      .set({ name })
      .where('id', '=', id)
      .where('account_id', '=', account)
      .returningAll(),
);

/**
 * Gives one of the caller's API keys another name, or none.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function renameApiKey(
  context: OperationContext,
  // GraphQL knows no input that may be null and may not be left out.
  input: { readonly keyId: number; readonly name?: string | null | undefined },
): Promise<ApiKey> {
  const { keyId, name } = parseInput(RenameApiKeyInput, input);
  const { account } = await ownApiKey(context, keyId);
  const renamed = await audited(context, async ({ db, events }) => {
    const [row] = await updateName(db, { id: keyId, account, name });
    if (row) events('api-key-renamed', { accountId: account, keyId });
    return row;
  });
  // Where it is the caller's no more, it is not found now.
  return renamed ?? renameApiKey(context, input);
}
