import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { longestWebhookUrl, webhookPatterns } from '../config/values/webhook-events.ts';
import { longestHeaderName, mostWebhookHeaders, webhookHeaders } from '../config/values/webhook-headers.ts';
import { type Db, type EntityRow, prepareQuery } from '../database/db.ts';
import { type Tables, WebhookEndpoint } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Change } from '../observability/events.ts';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';
import { mostCounted } from './sending/stored-deliveries.ts';
import {
  type EndpointSecrets,
  isConfigured,
  lockStoredEndpoint,
  longestOutcome,
} from './sending/stored-endpoints.ts';

/** The most patterns of an endpoint. */
const most = 50;

/** The most bytes of an endpoint's texts, as JSON. */
export const mostBytesOf = {
  // A normalised URL has no character that JSON escapes.
  url: longestWebhookUrl + 2,
  events: 2 + most * (Math.max(...webhookPatterns.map(({ length }) => length)) + 3),
  headerNames: 2 + mostWebhookHeaders * (longestHeaderName + 3),
  lastOutcome: longestOutcome + 2,
} as const;

/** Selects endpoints with the figures of their deliveries. */
export const selectEndpointRecords = (db: Kysely<Tables>) =>
  db
    .selectFrom('webhook_endpoint')
    .select(['id', 'url', 'events', 'header_names', 'created_at', 'paused_at', 'gone_at', 'failing_since'])
    .select(['removed_at', 'secret_created_at', 'previous_sign_until'])
    .select(({ cast, fn, selectFrom }) => {
      const deliveries = selectFrom('webhook_delivery').whereRef(
        'webhook_delivery.endpoint_id',
        '=',
        'webhook_endpoint.id',
      );
      // A literal: with a parameter, SQLite could not see that the index of such deliveries has all of them.
      const countOf = (state: string) =>
        selectFrom(
          deliveries
            .where('state', '=', sql.lit(state))
            .select('webhook_delivery.id')
            .limit(mostCounted)
            .as('some'),
        )
          .select(cast<number>(fn.countAll(), 'integer').as('count'))
          .$asScalar()
          .$notNull();
      const last = deliveries
        .where('last_attempt_at', 'is not', null)
        .orderBy('last_attempt_at', 'desc')
        .limit(1);
      return [
        countOf('waiting').as('waitingCount'),
        countOf('parked').as('parkedCount'),
        last.select('last_outcome').$asScalar().as('lastOutcome'),
        last.select('last_attempt_at').$asScalar().as('lastAttemptAt'),
      ];
    });

type Selected = EntityRow<Awaited<ReturnType<ReturnType<typeof selectEndpointRecords>['execute']>>[number]>;

/**
 * A webhook endpoint as operators see it: without its secrets. Of the waiting deliveries, and of those that were given
 * up, at most 10,000 are counted.
 */
export interface WebhookEndpointRecord extends Omit<Selected, 'events' | 'headerNames'> {
  readonly events: readonly string[];
  /** The names of the headers that each message has beside those of Standard Webhooks. */
  readonly headerNames: readonly string[];
  /** Whether the endpoint comes from the configuration, and not from an operator. */
  readonly isConfigured: boolean;
}

/** A webhook endpoint with its new secret, which only this answer shows. */
export interface NewWebhookEndpoint extends WebhookEndpointRecord {
  readonly secret: string;
}

/** Converts a selected endpoint to the operators' record. */
export const toRecord = (row: Selected): WebhookEndpointRecord => ({
  ...row,
  events: JSON.parse(row.events),
  headerNames: JSON.parse(row.headerNames ?? '[]'),
  isConfigured: isConfigured(row),
});

const noEndpoint = () => new GatewayError('NOT_FOUND', 'Webhook endpoint not found');

const selectEndpoint = prepareQuery(WebhookEndpoint, (db, { id }: { readonly id: number }) =>
  selectEndpointRecords(db).where('webhook_endpoint.id', '=', id),
);

/**
 * Reads a webhook endpoint as operators see it, even a removed one.
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function readEndpoint(db: Db, id: number): Promise<WebhookEndpointRecord> {
  const [found] = await selectEndpoint(db, { id });
  if (!found) throw noEndpoint();
  return toRecord(found);
}

/**
 * Locks an endpoint: concurrent changes of it wait until this transaction ends.
 * @param db a transaction
 * @returns the stored endpoint
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function lockEndpoint(db: Db, id: number): Promise<WebhookEndpoint> {
  const found = await lockStoredEndpoint(db, id);
  if (!found) throw noEndpoint();
  return found;
}

/**
 * Refuses a removed endpoint.
 * @throws {GatewayError} `CONFLICT`
 */
export function assertThere({ removedAt }: Pick<WebhookEndpoint, 'removedAt'>): void {
  if (removedAt) throw new GatewayError('CONFLICT', 'This webhook endpoint was removed');
}

/**
 * Refuses a configured endpoint, because only the configuration may change it.
 * @throws {GatewayError} `CONFLICT`
 */
export function assertAdded(endpoint: Pick<WebhookEndpoint, 'secretCreatedAt'>): void {
  if (isConfigured(endpoint))
    throw new GatewayError(
      'CONFLICT',
      'This webhook endpoint comes from the configuration (WEBHOOKS). Change it there, then restart',
    );
}

/**
 * Describes a change of headers for the audit trail, which has their names alone: those that went or have another
 * value, and those that came or have one.
 */
export function headerChanges(
  before: EndpointSecrets['headers'],
  after: EndpointSecrets['headers'],
): Change[] {
  const namesIn = (one: EndpointSecrets['headers'], other: EndpointSecrets['headers']) =>
    Object.keys(one).filter((name) => one[name] !== other[name]);
  const [from, to] = [namesIn(before, after), namesIn(after, before)];
  return from.length + to.length > 0 ? [{ field: 'headers', from, to }] : [];
}

/** The headers of an endpoint. */
export const headerObject = webhookHeaders((text) => `M${text.slice(1)}.`).meta({
  maxProperties: mostWebhookHeaders,
});

/** The event types of an endpoint: types and patterns, each once. */
export const eventList = z
  .array(z.string().meta({ enum: webhookPatterns }))
  .refine((events) => events.length > 0, {
    message: 'Must have at least 1 item.',
    params: { type: 'too_short' },
  })
  .refine(...atMost(most))
  .superRefine(
    eachItem((text) => webhookPatterns.includes(text), {
      message: 'Must be an event type or a pattern such as api_key.* or *.',
    }),
  )
  .refine(...onlyOnce)
  .meta({ minItems: 1, maxItems: most, uniqueItems: true });
