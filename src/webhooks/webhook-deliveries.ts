import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import type { EntityRow } from '../database/db.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { type Tables, WebhookDelivery } from '../database/tables.ts';
import { operation } from '../operations/operation.ts';
import { readEndpoint } from './webhook-endpoint-record.ts';

const states = ['waiting', 'delivered', 'parked'] as const;

/** The state of a delivery: it waits, has reached its endpoint, or was given up. */
export type WebhookDeliveryState = (typeof states)[number];

/** Selects deliveries with the columns that operators see. */
export const selectDeliveries = (db: Kysely<Tables>) =>
  db
    .selectFrom('webhook_delivery')
    .select(['webhook_delivery.id', 'webhook_delivery.endpoint_id', 'webhook_delivery.account_id'])
    .select(['message', 'type', 'state', 'attempts', 'last_attempt_at', 'last_outcome'])
    .select(['webhook_delivery.created_at', 'due_at']);

type Selected = EntityRow<Awaited<ReturnType<ReturnType<typeof selectDeliveries>['execute']>>[number]>;

/** An event on its way to an endpoint, as operators see it. */
export interface WebhookDeliveryRecord extends Omit<Selected, 'dueAt' | 'state'> {
  readonly state: WebhookDeliveryState;
  /** The time of the next attempt; null if the delivery does not wait, or waits for another delivery. */
  readonly nextAttemptAt: Date | null;
}

/** Converts a selected delivery to the operators' record. */
export const toRecord = ({ dueAt, state, ...row }: Selected): WebhookDeliveryRecord => ({
  ...row,
  state: state as WebhookDeliveryState,
  // The place in line of one that was never attempted is no time of an attempt: it is due since it was made.
  nextAttemptAt: dueAt && row.attempts === 0 ? row.createdAt : dueAt,
});

const prepareDeliveries = (state?: WebhookDeliveryState) =>
  preparePages(
    WebhookDelivery,
    'webhook_delivery',
    (db, { endpoint }: Pick<WebhookDelivery, 'endpoint'>) => {
      const ofEndpoint = selectDeliveries(db).where('webhook_delivery.endpoint_id', '=', endpoint);
      // A literal: with a parameter, SQLite could not see that an index of such deliveries has all of them.
      return state ? ofEndpoint.where('webhook_delivery.state', '=', sql.lit(state)) : ofEndpoint;
    },
    toRecord,
  );

const readDeliveries = {
  all: prepareDeliveries(),
  waiting: prepareDeliveries('waiting'),
  delivered: prepareDeliveries('delivered'),
  parked: prepareDeliveries('parked'),
};

/**
 * Reads a page of the deliveries of a webhook endpoint, sent or not, newest first.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND` for an unknown endpoint
 */
export const webhookDeliveries = operation(
  PageInput.safeExtend({
    endpointId: z.int32(),
    state: z.enum(states).nullish(),
  }),
  async (context, { endpointId: endpoint, state, ...page }): Promise<Page<WebhookDeliveryRecord>> => {
    const { db } = context;
    await findAccount(context);
    const found = await readDeliveries[state ?? 'all'](db, page, { endpoint });
    if (found.edges.length === 0) await readEndpoint(db, endpoint);
    return found;
  },
);
