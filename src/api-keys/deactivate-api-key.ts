import { z } from 'zod';
import { findAccount } from '../accounts/find-account.ts';
import { GatewayError } from '../errors.ts';
import { type OperationContext, parseInput } from '../operation.ts';
import { ApiKey } from './api-key.entity.ts';

/** The input of {@link deactivateApiKey}. */
export const DeactivateApiKeyInput = z.object({ keyId: z.int32() });

/**
 * Deactivates one of the caller's API keys; a key that is inactive already stays as it is.
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function deactivateApiKey(
  context: OperationContext,
  input: z.input<typeof DeactivateApiKeyInput>,
): Promise<ApiKey> {
  const { keyId } = parseInput(DeactivateApiKeyInput, input);
  const account = await findAccount(context);
  if (account === undefined) throw notFound();
  // Owner and state stand in the UPDATE's own WHERE: of any number of callers at once, one makes the change.
  const changed = await context.em.nativeUpdate(
    ApiKey,
    { id: keyId, account, isActive: true },
    ApiKey.deactivated,
  );
  const apiKey = await context.em.findOne(ApiKey, { id: keyId, account });
  if (!apiKey) throw notFound();
  if (changed > 0) context.events('api-key-deactivated', { accountId: account, keyId });
  return apiKey;
}

const notFound = () => new GatewayError('NOT_FOUND', 'API key not found');
