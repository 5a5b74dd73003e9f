import type { z } from 'zod';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { WebhookEndpointInput } from './webhook-endpoint.ts';
import {
  assertAdded,
  lockEndpoint,
  readEndpoint,
  type WebhookEndpointRecord,
} from './webhook-endpoint-record.ts';

/** The input of {@link removeWebhookEndpoint}. */
export const RemoveWebhookEndpointInput = WebhookEndpointInput;

// Deletes the secrets and the headers, which are useless now.
const updateThere = prepareQuery(
  WebhookEndpoint,
  (db, { id, now }: { readonly id: number; readonly now: Date }) =>
    db
      .updateTable('webhook_endpoint')
      .set({
        removed_at: now,
        header_names: null,
        sealed_secrets: null,
        encryption_version: null,
        previous_sign_until: null,
      })
      .where('id', '=', id),
);

/**
 * Removes a webhook endpoint that an operator added: it receives nothing any more. An endpoint that is already
 * removed stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for a configured endpoint
 */
export async function removeWebhookEndpoint(
  context: OperationContext,
  input: z.input<typeof RemoveWebhookEndpointInput>,
): Promise<WebhookEndpointRecord> {
  const { endpointId: id } = parseInput(RemoveWebhookEndpointInput, input);
  return audited(context, async (inner) => {
    const operatorId = await ensureAccount(inner);
    const endpoint = await lockEndpoint(inner.db, id);
    assertAdded(endpoint);
    if (!endpoint.removedAt) {
      await updateThere(inner.db, { id, now: new Date() });
      inner.events('webhook-endpoint-removed', { accountId: operatorId, operatorId, endpointId: id });
    }
    return readEndpoint(inner.db, id);
  });
}
