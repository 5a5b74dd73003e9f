import { findAccount } from '../accounts/own-account.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import { operation } from '../operations/operation.ts';
import { selectEndpointRecords, toRecord, type WebhookEndpointRecord } from './webhook-endpoint-record.ts';

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
export const webhookEndpoints = operation(
  PageInput,
  async (context, page): Promise<Page<WebhookEndpointRecord>> => {
    await findAccount(context);
    return readEndpoints(context.db, page, {});
  },
);
