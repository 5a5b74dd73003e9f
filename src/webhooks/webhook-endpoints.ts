import type { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { selectEndpointRecords, toRecord, type WebhookEndpointRecord } from './webhook-endpoint-record.ts';

/** The input of {@link webhookEndpoints}. */
export const WebhookEndpointsInput = PageInput;

const readEndpoints = preparePages(
  WebhookEndpoint,
  'webhook_endpoint',
  (db, _: object) => selectEndpointRecords(db).where('removed_at', 'is', null),
  toRecord,
);

/**
 * Reads a page of the current webhook endpoints, newest first: the configured ones, and those that operators added.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function webhookEndpoints(
  context: OperationContext,
  input: z.input<typeof WebhookEndpointsInput>,
): Promise<Page<WebhookEndpointRecord>> {
  const page = parseInput(WebhookEndpointsInput, input);
  await findAccount(context);
  return readEndpoints(context.db, page, {});
}
