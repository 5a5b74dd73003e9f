import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, ownApiKey, returnedQuota } from './own-api-key.ts';

/** The input of {@link deactivateApiKey}. */
export const DeactivateApiKeyInput = z.object({ keyId: z.int32() });

// The UPDATE's own WHERE checks the owner and the state, so only one of several concurrent calls makes the change.
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
 * Deactivates one of the caller's API keys. An inactive key stays unchanged.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
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
  // If another call came first, the key is inactive now.
  return changed ?? deactivateApiKey(context, input);
}
