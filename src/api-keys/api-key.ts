import { z } from 'zod';
import { operation } from '../operations/operation.ts';
import { ownApiKey } from './own-api-key.ts';

/**
 * Reads one of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const apiKey = operation(z.object({ keyId: z.int32() }), (context, { keyId }) =>
  ownApiKey(context, keyId),
);
