import { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { readEndpoint, type WebhookEndpointRecord } from './webhook-endpoint-record.ts';

/** The input of {@link webhookEndpoint}. */
export const WebhookEndpointInput = z.object({ endpointId: z.int32() });

/**
 * Reads a webhook endpoint for an operator, even a removed one.
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function webhookEndpoint(
  context: OperationContext,
  input: z.input<typeof WebhookEndpointInput>,
): Promise<WebhookEndpointRecord> {
  const { endpointId } = parseInput(WebhookEndpointInput, input);
  await findAccount(context);
  return readEndpoint(context.db, endpointId);
}
