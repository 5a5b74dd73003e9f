import { pino } from 'pino';
import { afterEach, vi } from 'vitest';
import type { WebhookConfig } from '../../src/config/config.ts';
import { Db } from '../../src/database/db.ts';
import { sealSecrets } from '../../src/webhooks/sending/stored-endpoints.ts';
import { Webhooks } from '../../src/webhooks/sending/webhooks.ts';
import type { TestGateway } from './gateway.ts';
import type { Setup } from './set-up-gateway.ts';
import { createSecret } from './webhook-receiver.ts';

const pace = { gather: 5, poll: 20, firstRetry: 20, longestRetry: 100 };

/** Waits until something holds. */
export const until = (holds: () => void | Promise<void>) =>
  vi.waitFor(holds, { timeout: 20_000, interval: 10 });

/** What of the configuration may be told to one that sends. */
interface SenderOptions {
  readonly endpoints?: readonly WebhookConfig[];
  readonly hosts?: readonly string[];
  readonly timeout?: number;
  /** How often it looks by itself for what is due; the first and the longest time before a repetition; in milliseconds. */
  readonly poll?: number;
  readonly firstRetry?: number;
  readonly longestRetry?: number;
  /** Whether operators may add endpoints: they may, unless told otherwise. */
  readonly isAdministered?: boolean;
  /** What is written into the log. */
  readonly lines?: string[];
}

/** Sends the webhooks of a gateway. */
export function sendWebhooks(
  { database, secrets }: TestGateway,
  { endpoints = [], hosts = ['127.0.0.1'], isAdministered = true, lines = [], ...others }: SenderOptions = {},
): Webhooks {
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const config = { endpoints, allowedHosts: hosts, isAdministered };
  return new Webhooks(new Db(database.em), secrets.sealer, config, logger, '1.2.3', { ...pace, ...others });
}

/** Gives a file's tests somebody who sends webhooks, and stops when a test ends. */
export function setUpSenders(setup: Setup) {
  const started: Webhooks[] = [];
  afterEach(async () => {
    for (const webhooks of started.splice(0)) await webhooks[Symbol.asyncDispose]();
  });
  return (options?: SenderOptions): Webhooks => {
    const webhooks = sendWebhooks(setup.gateway, options);
    started.push(webhooks);
    return webhooks;
  };
}

/** Puts in an endpoint as the configuration does; returns its id. */
export async function createConfigured({ gateway }: Pick<Setup, 'gateway'>, url: string): Promise<number> {
  const { kysely } = new Db(gateway.database.em);
  const row = { url, events: '["*"]', created_at: new Date() };
  const into = kysely.insertInto('webhook_endpoint').values(row);
  return (await into.returning('id').executeTakeFirstOrThrow()).id;
}

/** Puts in an endpoint as an operator has added it; returns its id. */
export async function createAdded(setup: Pick<Setup, 'gateway'>, url: string): Promise<number> {
  const { database, secrets } = setup.gateway;
  const { kysely } = new Db(database.em);
  const id = await createConfigured(setup, url);
  const { jwe, version } = await sealSecrets(secrets.sealer, id, { secrets: [createSecret()], headers: {} });
  await kysely
    .updateTable('webhook_endpoint')
    .set({ sealed_secrets: jwe, encryption_version: version, secret_created_at: new Date() })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Puts in deliveries to an endpoint, each to a lane of its own; returns their ids. */
export async function createDeliveries(
  { gateway }: Pick<Setup, 'gateway'>,
  endpoint: number,
  states: readonly ('waiting' | 'delivered' | 'parked')[],
): Promise<number[]> {
  const { kysely } = new Db(gateway.database.em);
  const account = await gateway.createAccount(`owner of deliveries to ${endpoint}`);
  const now = new Date();
  const values = states.map((state, index) => ({
    endpoint_id: endpoint,
    account_id: account,
    lane: `account:${account}-${index}`,
    message: `msg_${index}`,
    type: 'automation_settings.updated',
    payload: '{"type":"automation_settings.updated"}',
    state,
    attempts: state === 'waiting' ? 0 : 2,
    last_attempt_at: state === 'waiting' ? null : new Date(now.getTime() + index),
    last_outcome: state === 'waiting' ? null : `status ${state === 'parked' ? 500 : 204}`,
    created_at: now,
    kept_until: new Date(now.getTime() + 60_000),
    due_at: state === 'waiting' ? now : null,
  }));
  const rows = await kysely.insertInto('webhook_delivery').values(values).returning('id').execute();
  return rows.map(({ id }) => id);
}
