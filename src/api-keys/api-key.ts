import { z } from 'zod';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, ownApiKey } from './own-api-key.ts';

/** The input of {@link apiKey}. */
export const ApiKeyInput = z.object({ keyId: z.int32() });

/**
 * Reads one of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
 */
export async function apiKey(
  context: OperationContext,
  input: z.input<typeof ApiKeyInput>,
): Promise<ApiKeyRecord> {
  return ownApiKey(context, parseInput(ApiKeyInput, input).keyId);
}
