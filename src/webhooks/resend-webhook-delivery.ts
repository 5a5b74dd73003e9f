import { z } from 'zod';
import { ensureOperator } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookDelivery } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { isTold, sendAgain } from './sending/stored-deliveries.ts';
import { selectDeliveries, toRecord, type WebhookDeliveryRecord } from './webhook-deliveries.ts';
import { deliveryNotFound } from './webhook-delivery.ts';
import { assertThere, lockEndpoint } from './webhook-endpoint-record.ts';

const selectPlace = prepareQuery(WebhookDelivery, (db, { id }: Pick<WebhookDelivery, 'id'>) =>
  db.selectFrom('webhook_delivery').select(['id', 'endpoint_id', 'lane']).where('id', '=', id).where(isTold),
);

const selectDelivery = prepareQuery(WebhookDelivery, (db, { id }: Pick<WebhookDelivery, 'id'>) =>
  selectDeliveries(db).where('webhook_delivery.id', '=', id),
);

/**
 * Sends a delivery again, whatever its state: the same message with the same id. The attempts continue for three days
 * from now on. If the endpoint is paused, the delivery waits.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, also for a delivery that is already deleted, and for
 *   one of an erased account unless it tells of the erasure; `CONFLICT` if
 *   the endpoint was removed
 */
export const resendWebhookDelivery = change(
  z.object({ deliveryId: z.int32() }),
  async (context, { deliveryId: id }): Promise<WebhookDeliveryRecord> => {
    const { db } = context;
    const operatorId = await ensureOperator(context);
    const [place] = await selectPlace(db, { id });
    if (!place) throw deliveryNotFound();
    assertThere(await lockEndpoint(db, place.endpoint));
    if (!(await sendAgain(db, place))) throw deliveryNotFound();
    const changes = [{ field: 'delivery_id', from: null, to: id }];
    const endpointId = place.endpoint;
    context.events('webhook-delivery-resent', { accountId: operatorId, operatorId, endpointId }, changes);
    const [sent] = await selectDelivery(db, { id });
    if (!sent) throw deliveryNotFound();
    return toRecord(sent);
  },
);
