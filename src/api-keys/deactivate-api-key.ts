import { z } from 'zod';
import { isNotErased } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { BusinessEvents } from '../observability/events.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { deactivated } from './deactivate-many.ts';
import { type ApiKeyRecord, ownApiKey, returnedOthers } from './own-api-key.ts';
import { noPauseColumns } from './pause.ts';

const updateActive = prepareQuery(ApiKey, (db, { id, now }: { readonly id: number; readonly now: Date }) =>
  db
    .updateTable('api_key')
    .set({ is_active: false, deactivated_at: now, ...noPauseColumns })
    .where('id', '=', id)
    .where('is_active', '=', true)
    .where(isNotErased('api_key'))
    .returningAll()
    .returning(returnedOthers),
);

/**
 * Deactivates an API key, and records it. Of several concurrent calls, one makes the change.
 * @param by who does it, unless it is the key's owner
 * @returns the key; undefined if there is no such active key
 */
export async function deactivate(
  { db, events, services }: OperationContext,
  keyId: number,
  by: Partial<BusinessEvents['api-key-deactivated']> = {},
): Promise<ApiKeyRecord | undefined> {
  const [row] = await updateActive(db, { id: keyId, now: new Date() });
  if (row) events('api-key-deactivated', { ...by, accountId: row.account, keyId }, [deactivated]);
  // Another process has ended it.
  else services.doorGrace?.noteChange({ accountId: undefined, keyId });
  return row;
}

/**
 * Deactivates one of the caller's API keys. An inactive key stays unchanged.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const deactivateApiKey = operation(
  z.object({ keyId: z.int32() }),
  async (context, { keyId }): Promise<ApiKeyRecord> => {
    const found = await ownApiKey(context, keyId);
    if (!found.isActive) return found;
    const { isKeyItself } = context.requestSource;
    const changed = await audited(context, (inner) =>
      deactivate(inner, keyId, isKeyItself ? { isKeyItself } : {}),
    );
    // If another call came first, the key is inactive now.
    return changed ?? deactivateApiKey(context, { keyId });
  },
);
