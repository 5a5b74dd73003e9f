import type { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, readPage } from '../database/page.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { selectEndpointRecords, toRecord, type WebhookEndpointRecord } from './webhook-endpoint-record.ts';

/** The input of {@link webhookEndpoints}. */
export const WebhookEndpointsInput = PageInput;

const prepareSelect = (order: 'asc' | 'desc') =>
  prepareQuery(WebhookEndpoint, (db, { floor, ceiling, limit }: PageRange) =>
    selectEndpointRecords(db)
      .where('removed_at', 'is', null)
      .where('webhook_endpoint.id', '>', floor)
      .where('webhook_endpoint.id', '<=', ceiling)
      .orderBy('webhook_endpoint.id', order)
      .limit(limit),
  );

const select = { asc: prepareSelect('asc'), desc: prepareSelect('desc') };

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
  return readPage(page, async (range, order) => (await select[order](context.db, range)).map(toRecord));
}
