import { ensureOperator } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { WebhookEndpointInput } from './webhook-endpoint.ts';
import {
  assertAdded,
  lockEndpoint,
  readEndpoint,
  type WebhookEndpointRecord,
} from './webhook-endpoint-record.ts';

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
export const removeWebhookEndpoint = change(
  WebhookEndpointInput,
  async (context, { endpointId: id }): Promise<WebhookEndpointRecord> => {
    const operatorId = await ensureOperator(context);
    const endpoint = await lockEndpoint(context.db, id);
    assertAdded(endpoint);
    if (!endpoint.removedAt) {
      await updateThere(context.db, { id, now: new Date() });
      context.events('webhook-endpoint-removed', { accountId: operatorId, operatorId, endpointId: id });
    }
    return readEndpoint(context.db, id);
  },
);
