import { z } from 'zod';
import { longestName } from '../accounts/account-record.ts';
import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookDelivery } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { mostDetails } from '../operations/changes.ts';
import { longestReason, mostTextBytes } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import { isTold } from './sending/stored-deliveries.ts';
import { selectDeliveries, toRecord, type WebhookDeliveryRecord } from './webhook-deliveries.ts';

/** A delivery with what is sent. */
export interface FullWebhookDelivery extends WebhookDeliveryRecord {
  /** The message: the body that is signed and sent, parsed. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The most bytes of the changes. Those of one event have at most {@link mostDetails}, but updates of one key that wait
 * become one message: its lists (4096 bytes together), its name and its description, each before and after, and all
 * else.
 */
const mostChanges = 2 * (4096 + mostTextBytes(100) + mostTextBytes(500)) + mostDetails;

/**
 * The most bytes of a payload: the changes, the account's issuer and subject, the reason, and 1,500 for the key's prefix
 * and name and all else.
 */
export const mostPayloadBytes =
  mostChanges + 2 * mostTextBytes(longestName) + mostTextBytes(longestReason) + 1500;

const selectFull = prepareQuery(
  WebhookDelivery,
  (db, { id, endpoint }: Pick<WebhookDelivery, 'id' | 'endpoint'>) =>
    selectDeliveries(db)
      .select('payload')
      .where('webhook_delivery.id', '=', id)
      .where('webhook_delivery.endpoint_id', '=', endpoint)
      .where(isTold),
);

/** Makes the error for an unknown delivery. */
export const deliveryNotFound = () => new GatewayError('NOT_FOUND', 'Webhook delivery not found');

/**
 * Reads a delivery with its payload, for an operator.
 * @throws {GatewayError} `NOT_FOUND`, also for a delivery that is already deleted, and for one of an erased account
 *   unless it tells of the erasure
 */
export const webhookDelivery = operation(
  z.object({ endpointId: z.int32(), deliveryId: z.int32() }),
  async (context, { endpointId: endpoint, deliveryId: id }): Promise<FullWebhookDelivery> => {
    await findAccount(context);
    const [found] = await selectFull(context.db, { id, endpoint });
    if (!found) throw deliveryNotFound();
    const { payload, ...row } = found;
    return { ...toRecord(row), payload: JSON.parse(payload) };
  },
);
