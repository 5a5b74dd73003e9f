import { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import { operation } from '../operations/operation.ts';
import { readEndpoint, type WebhookEndpointRecord } from './webhook-endpoint-record.ts';

/** The input of {@link webhookEndpoint}. */
export const WebhookEndpointInput = z.object({ endpointId: z.int32() });

/**
 * Reads a webhook endpoint for an operator, even a removed one.
 * @throws {GatewayError} `NOT_FOUND`
 */
export const webhookEndpoint = operation(
  WebhookEndpointInput,
  async (context, { endpointId }): Promise<WebhookEndpointRecord> => {
    await findAccount(context);
    return readEndpoint(context.db, endpointId);
  },
);
