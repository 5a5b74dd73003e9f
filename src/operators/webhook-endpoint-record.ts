import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { webhookPatterns } from '../config/webhook-events.ts';
import { type Db, type EntityRow, prepareQuery } from '../database/db.ts';
import { type Tables, WebhookEndpoint } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';
import { isConfigured, lockStoredEndpoint } from '../webhooks/endpoints.ts';

/** A webhook endpoint as operators see it: without its secrets. */
export interface WebhookEndpointRecord
  extends Pick<
    WebhookEndpoint,
    'id' | 'url' | 'createdAt' | 'pausedAt' | 'removedAt' | 'secretCreatedAt' | 'previousSignUntil'
  > {
  readonly events: readonly string[];
  /** Whether it is one of the configuration, and not added by an operator. */
  readonly isConfigured: boolean;
  /** How many deliveries wait, and how many were given up; of more than 10,000, that many. */
  readonly waitingCount: number;
  readonly parkedCount: number;
  /** When something was sent to it last, and what came of that. */
  readonly lastAttemptAt: Date | null;
  readonly lastOutcome: string | null;
}

/** A webhook endpoint with its new secret, which is shown once. */
export interface NewWebhookEndpoint extends WebhookEndpointRecord {
  readonly secret: string;
}

/** More deliveries than these are not counted. */
const mostCounted = 10_000;

/** Selects endpoints with what operators see of their deliveries. */
export const recordOf = (db: Kysely<Tables>) =>
  db
    .selectFrom('webhook_endpoint')
    .select(['webhook_endpoint.id', 'webhook_endpoint.url', 'webhook_endpoint.events'])
    .select(['webhook_endpoint.created_at', 'webhook_endpoint.paused_at', 'webhook_endpoint.removed_at'])
    .select(['webhook_endpoint.secret_created_at', 'webhook_endpoint.previous_sign_until'])
    .select(({ cast, fn, selectFrom }) => {
      const deliveries = selectFrom('webhook_delivery').whereRef(
        'webhook_delivery.endpoint_id',
        '=',
        'webhook_endpoint.id',
      );
      // A literal, so that SQLite sees that the index of such deliveries has all of them.
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
        // No property of the endpoint's, so nothing would make a date of it on SQLite.
        last.select(sql<unknown>`last_attempt_at`.as('at')).$asScalar().as('lastAttemptAt'),
      ];
    });

type Selected = EntityRow<Awaited<ReturnType<ReturnType<typeof recordOf>['execute']>>[number]>;

/** An endpoint as it was selected, for operators. */
export const toRecord = ({ events, lastAttemptAt, ...row }: Selected): WebhookEndpointRecord => ({
  ...row,
  events: JSON.parse(events),
  isConfigured: isConfigured(row),
  lastAttemptAt: lastAttemptAt === null ? null : new Date(lastAttemptAt as number),
});

const noEndpoint = () => new GatewayError('NOT_FOUND', 'Webhook endpoint not found');

const selectEndpoint = prepareQuery(WebhookEndpoint, (db, { id }: { readonly id: number }) =>
  recordOf(db).where('webhook_endpoint.id', '=', id),
);

/**
 * A webhook endpoint, as operators see it; one that was removed as well.
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function readEndpoint(db: Db, id: number): Promise<WebhookEndpointRecord> {
  const [found] = await selectEndpoint(db, { id });
  if (!found) throw noEndpoint();
  return toRecord(found);
}

/**
 * Makes all others wait who would change an endpoint, until this transaction ends.
 * @param db a transaction
 * @returns what is stored of it
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function lockEndpoint(db: Db, id: number): Promise<WebhookEndpoint> {
  const found = await lockStoredEndpoint(db, id);
  if (!found) throw noEndpoint();
  return found;
}

/** @throws {GatewayError} `CONFLICT` where the endpoint was removed */
export function assertThere({ removedAt }: Pick<WebhookEndpoint, 'removedAt'>): void {
  if (removedAt) throw new GatewayError('CONFLICT', 'This webhook endpoint was removed');
}

/** @throws {GatewayError} `CONFLICT` where the configuration alone says what an endpoint is */
export function assertAdded(endpoint: Pick<WebhookEndpoint, 'secretCreatedAt'>): void {
  if (isConfigured(endpoint))
    throw new GatewayError(
      'CONFLICT',
      'This webhook endpoint is one of the configuration: change it there (WEBHOOKS)',
    );
}

/** The most patterns of an endpoint. */
const most = 50;

/** Which events an endpoint is told of: types and patterns, each once. */
export const eventList = z
  .array(z.string().meta({ enum: webhookPatterns }))
  .refine((events) => events.length > 0, {
    message: 'Must have at least 1 item.',
    params: { type: 'too_short' },
  })
  .refine(...atMost(most))
  .superRefine(
    eachItem((text) => webhookPatterns.includes(text), {
      message: 'Must be a type of event, or a pattern for some, such as api_key.* or *.',
    }),
  )
  .refine(...onlyOnce)
  .meta({ minItems: 1, maxItems: most, uniqueItems: true });
