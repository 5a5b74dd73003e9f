import { z } from 'zod';
import { change } from '../operations/operation.ts';
import { type ApiKeyRecord, lockApiKey } from './own-api-key.ts';
import { resume } from './pause.ts';

/**
 * Resumes one of the caller's API keys: it works again. A key that is not paused stays as it is.
 * @throws {GatewayError} `CONFLICT` for an inactive or expired key, and for one that an operator paused; `NOT_FOUND`, the
 *   same for an unknown key and another person's key
 */
export const resumeApiKey = change(
  z.object({ keyId: z.int32() }),
  async (context, { keyId }): Promise<ApiKeyRecord> =>
    resume(context, await lockApiKey(context, keyId), { by: 'owner', reason: null }),
);
