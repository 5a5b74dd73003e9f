import { z } from 'zod';
import { ensureOperator } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationContext } from '../operations/context.ts';
import { change } from '../operations/operation.ts';
import { type EndpointSecrets, openSecrets, storeSecrets } from './sending/stored-endpoints.ts';
import { WebhookEndpointInput } from './webhook-endpoint.ts';
import {
  assertAdded,
  assertThere,
  eventList,
  headerChanges,
  headerObject,
  lockEndpoint,
  readEndpoint,
  type WebhookEndpointRecord,
} from './webhook-endpoint-record.ts';

type Changed = Pick<WebhookEndpoint, 'id' | 'events' | 'pausedAt' | 'goneAt'>;

const updateEndpoint = prepareQuery(WebhookEndpoint, (db, { id, events, pausedAt, goneAt }: Changed) =>
  db
    .updateTable('webhook_endpoint')
    .set({ events, paused_at: pausedAt, gone_at: goneAt })
    .where('id', '=', id),
);

/**
 * The time since which the endpoint is paused; null if it is not to be. An endpoint that is already paused keeps its
 * earlier time.
 */
function pausedSince({ pausedAt = null }: WebhookEndpoint, isPaused: boolean): Date | null {
  if (!isPaused) return null;
  return pausedAt ?? new Date();
}

/**
 * Changes the headers of an endpoint.
 * @returns what the audit trail says of the change
 */
async function changeHeaders(
  { db, services }: OperationContext,
  stored: WebhookEndpoint,
  headers: EndpointSecrets['headers'],
): Promise<Change[]> {
  const { sealer } = services.secrets;
  assertAdded(stored);
  const before = await openSecrets(sealer, stored);
  const changes = headerChanges(before.headers, headers);
  if (changes.length > 0) await storeSecrets(db, sealer, stored, { ...before, headers });
  return changes;
}

/**
 * Pauses or resumes a webhook endpoint, and changes its event types and headers. A missing member stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for a removed endpoint, and for a change of the
 *   events or headers of a configured one
 */
export const updateWebhookEndpoint = change(
  WebhookEndpointInput.extend({
    isPaused: z.boolean().nullish(),
    events: eventList.nullish(),
    headers: headerObject.nullish(),
  }),
  async (context, { endpointId: id, ...given }): Promise<WebhookEndpointRecord> => {
    const { db } = context;
    const operatorId = await ensureOperator(context);
    const stored = await lockEndpoint(db, id);
    assertThere(stored);
    const before = { is_paused: Boolean(stored.pausedAt), events: JSON.parse(stored.events) as string[] };
    const after = { is_paused: given.isPaused ?? before.is_paused, events: given.events ?? before.events };
    const changes = changesOf(before, after);
    if (changes.some(({ field }) => field === 'events')) assertAdded(stored);
    if (given.headers) changes.push(...(await changeHeaders(context, stored, given.headers)));
    if (changes.length > 0) {
      const pausedAt = pausedSince(stored, after.is_paused);
      const goneAt = pausedAt && (stored.goneAt ?? null);
      await updateEndpoint(db, { id, events: JSON.stringify(after.events), pausedAt, goneAt });
      context.events(
        'webhook-endpoint-updated',
        { accountId: operatorId, operatorId, endpointId: id },
        changes,
      );
    }
    return readEndpoint(db, id);
  },
);
