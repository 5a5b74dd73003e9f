import { z } from 'zod';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { apiKeyName } from './key-parts.ts';
import type { ApiKeyRecord } from './own-api-key.ts';
import { updateApiKey } from './update-api-key.ts';

/** A name of null removes the name. A name that is left out is refused, so that nobody removes one by mistake. */
export const RenameApiKeyInput = z.object({ keyId: z.int32(), name: apiKeyName });

/**
 * Gives one of the caller's API keys another name, or none.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function renameApiKey(
  context: OperationContext,
  // GraphQL knows no input that may be null and may not be left out.
  input: { readonly keyId: number; readonly name?: string | null | undefined },
): Promise<ApiKeyRecord> {
  return updateApiKey(context, parseInput(RenameApiKeyInput, input));
}
