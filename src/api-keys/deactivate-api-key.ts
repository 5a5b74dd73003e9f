import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { audited, changesOf } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, ownApiKey, returnedQuota } from './own-api-key.ts';

/** The input of {@link deactivateApiKey}. */
export const DeactivateApiKeyInput = z.object({ keyId: z.int32() });

// Owner and state stand in the UPDATE's own WHERE: of any number of callers at once, one makes the change.
const updateActive = prepareQuery(
  ApiKey,
  (db, { id, account, now }: Pick<ApiKey, 'id' | 'account'> & { now: Date }) =>
    db
      .updateTable('api_key')
      .set({ is_active: false, deactivated_at: now })
      .where('id', '=', id)
      .where('account_id', '=', account)
      .where('is_active', '=', true)
      .returningAll()
      .returning(returnedQuota),
);

/**
 * Deactivates one of the caller's API keys; a key that is inactive already stays as it is.
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function deactivateApiKey(
  context: OperationContext,
  input: z.input<typeof DeactivateApiKeyInput>,
): Promise<ApiKeyRecord> {
  const { keyId } = parseInput(DeactivateApiKeyInput, input);
  const found = await ownApiKey(context, keyId);
  if (!found.isActive) return found;
  const changed = await audited(context, async ({ db, events }) => {
    const [row] = await updateActive(db, { ...found, now: new Date() });
    const { isKeyItself } = context.requestSource;
    const event = { accountId: found.account, keyId, ...(isKeyItself && { isKeyItself }) };
    if (row) events('api-key-deactivated', event, changesOf({ is_active: true }, { is_active: false }));
    return row;
  });
  // Where another call was quicker, the key is inactive now.
  return changed ?? deactivateApiKey(context, input);
}
