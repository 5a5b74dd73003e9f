import { z } from 'zod';
import type { OperationContext } from '../operations/context.ts';
import { atMostCharacters, parseInput, withoutNul } from '../operations/input.ts';
import { type ApiKeyVerification, verifySecret } from './verify-secret.ts';

/** The input of {@link verifyApiKey}: the key as a client sent it, whatever that is. */
export const VerifyApiKeyInput = z.object({
  key: z
    .string()
    .refine(...atMostCharacters(1000))
    .meta({ maxLength: 1000, pattern: withoutNul }),
});

/**
 * Tells a provider's backend whether an API key lets its bearer in, and whose it is.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function verifyApiKey(
  context: OperationContext,
  input: z.input<typeof VerifyApiKeyInput>,
): Promise<ApiKeyVerification> {
  const { key } = parseInput(VerifyApiKeyInput, input);
  return verifySecret(context, key);
}
